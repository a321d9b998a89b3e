/**
 * Agents one after the other, 16 at a time, without a sandbox and in one: the time that each takes in the first 200 and in the last 200, which is to be
 * the same however many there have been, and in the whole run with its start and its end.
 * Usage: npm run bench -- fan-out [agents …, default 200 1000]
 */
import { spawnSync } from "node:child_process";
import { eventsIn, inHome, outputOfRun } from "./a-run.mjs";
import { rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const AT_ONCE = 16;
const PART = 200;
const GIVEN = process.argv.slice(2).map(Number);
const COUNTS = GIVEN.length === 0 ? [200, 1000] : GIVEN;
const AIM_MS = { off: 25, workspace: 32 };

const modes = spawnSync("bwrap", ["--version"]).status === 0 ? ["off", "workspace"] : ["off"];
const figures = {};
for (const count of COUNTS)
	for (const mode of modes) {
		const figure = await inHome((place) => fanOut(count, mode, place));
		const { firstMs, lastMs, wholeMs } = figure;
		console.log(
			`fan-out: ${count} agents, sandbox ${mode}: ${firstMs} ms an agent in the first ${PART}, ${lastMs} in the last ${PART}, ${wholeMs} with start and end (aim: ${AIM_MS[mode]}, flat)`,
		);
		figures[`${mode}-${count}`] = figure;
	}
keepResults("fan-out", figures);

async function fanOut(count, mode, place) {
	const limits = ["--max-agents", count + 1, "--max-children", count, "--max-total-turns", 3 * count].map(String);
	const task = `seq ${count} | xargs -P${AT_ONCE} -I{} agent true`;
	const start = performance.now();
	await outputOfRun(["--sandbox", mode, "--max-concurrency", "64", ...limits, "--model", "shell", task], place);
	const wholeMs = performance.now() - start;
	const events = eventsIn(place.home);
	const begin = events.find(({ event }) => event === "command_started").at;
	const ends = events.filter(({ event, agent }) => event === "agent_ended" && agent !== "1").map(({ at }) => at);
	if (ends.length !== count) throw new Error(`${ends.length} of ${count} agents have ended`);
	return {
		firstMs: rounded((ends[PART - 1] - begin) / PART, 1),
		lastMs: rounded((ends.at(-1) - (ends.at(-1 - PART) ?? begin)) / PART, 1),
		wholeMs: rounded(wholeMs / count, 1),
	};
}
