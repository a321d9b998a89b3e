/**
 * What a sandbox adds to a child agent: from its process's start to its join, to the start of its first command, and to its end, beside one without, in runs
 * that take turns. Differences of medians and of the least times; the aim is for the first command.
 * Usage: npm run bench -- sandbox
 */
import { spawnSync } from "node:child_process";
import { eventsIn, inHome, outputOfRun } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const TURNS = 10;
const ROUNDS = 6;
const WARM_UP = 1;
const AIM_MS = 25;
const WHAT = ["join", "command", "end"];

if (spawnSync("bwrap", ["--version"]).status !== 0) {
	console.log("sandbox: not measured, there is no bubblewrap");
	process.exit();
}
const measured = { off: [], workspace: [] };
for (let turn = 0; turn < TURNS; turn++)
	for (const mode of Object.keys(measured)) measured[mode].push(...(await inHome((place) => children(mode, place))));
const figures = Object.fromEntries(WHAT.map((what) => [what, compared(what)]));
for (const what of WHAT) {
	const { withoutMs, withMs, moreMs, leastMoreMs } = figures[what];
	console.log(
		`sandbox: child's ${what} after ${withMs} ms, without ${withoutMs} ms: ${moreMs} ms more (medians of ${measured.off.length}), ${leastMoreMs} ms of the least`,
	);
}
console.log(`sandbox: the aim is at most ${AIM_MS} ms more to the first command`);
keepResults("sandbox", { rounds: measured.off.length, ...figures });

async function children(mode, place) {
	const task = `for i in $(seq ${ROUNDS + WARM_UP}); do t=$EPOCHREALTIME; agent true; echo $t $EPOCHREALTIME; done`;
	const output = await outputOfRun(["--sandbox", mode, "--model", "shell", task], place);
	const events = eventsIn(place.home).filter(({ agent }) => agent !== "1");
	const at = (name) => events.filter(({ event }) => event === name).map((event) => event.at);
	const [joins, commands] = [at("agent_joined"), at("command_started")];
	const lines = output.trim().split("\n");
	return lines
		.map((line, i) => {
			const [start, end] = line.split(" ").map((seconds) => Number(seconds) * 1000);
			return { join: joins[i] - start, command: commands[i] - start, end: end - start };
		})
		.slice(WARM_UP);
}

function compared(what) {
	const [without, within] = ["off", "workspace"].map((mode) => measured[mode].map((round) => round[what]));
	return {
		withoutMs: rounded(median(without), 1),
		withMs: rounded(median(within), 1),
		moreMs: rounded(median(within) - median(without), 1),
		leastMoreMs: rounded(Math.min(...within) - Math.min(...without), 1),
	};
}
