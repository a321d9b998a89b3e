/**
 * What a sandbox adds: to a child agent from its process's start to its join, to the start of its first command and to its end, and to a command
 * of agent 1 from the answer with it to its end; beside those without one, in runs that take turns. Differences of medians and of the least times.
 * Usage: npm run bench -- sandbox
 */
import { spawnSync } from "node:child_process";
import { eventsIn, inHome, outputOfRun } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const TURNS = 10;
const ROUNDS = 6;
const WARM_UP = 1;
const AIMS_MS = { join: 2, command: 8, end: 10, "own command": 8 };
const WHAT = Object.keys(AIMS_MS);

if (spawnSync("bwrap", ["--version"]).status !== 0) {
	console.log("sandbox: not measured, there is no bubblewrap");
	process.exit();
}
const measured = { off: [], workspace: [] };
for (let turn = 0; turn < TURNS; turn++)
	for (const mode of Object.keys(measured)) {
		measured[mode].push(...(await inHome((place) => children(mode, place))));
		for (let round = 0; round < ROUNDS; round++) measured[mode].push(await inHome((place) => ownCommand(mode, place)));
	}
const figures = Object.fromEntries(WHAT.map((what) => [what, compared(what)]));
for (const what of WHAT) {
	const { withoutMs, withMs, moreMs, leastMoreMs } = figures[what];
	const whose = what === "own command" ? "agent 1's command" : `child's ${what}`;
	console.log(
		`sandbox: ${whose} after ${withMs} ms, without ${withoutMs} ms: ${moreMs} ms more (medians), ${leastMoreMs} ms of the least (aim: at most ${AIMS_MS[what]})`,
	);
}
keepResults("sandbox", { rounds: TURNS * ROUNDS, ...figures });

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

/** The run of a command that does nothing, by agent 1. */
async function ownCommand(mode, place) {
	await outputOfRun(["--sandbox", mode, "--model", "shell", "true"], place);
	const at = (name) => eventsIn(place.home).find(({ event }) => event === name).at;
	return { "own command": at("command_ended") - at("turn_ended") };
}

function compared(what) {
	const [without, within] = ["off", "workspace"].map((mode) => measured[mode].flatMap((round) => round[what] ?? []));
	return {
		withoutMs: rounded(median(without), 1),
		withMs: rounded(median(within), 1),
		moreMs: rounded(median(within) - median(without), 1),
		leastMoreMs: rounded(Math.min(...within) - Math.min(...without), 1),
	};
}
