/**
 * What a tree costs that does nothing: 20 agents alive, each of which waits for its command. Counted is the processor
 * time of all processes of the run (supervisor, agents, shells), as the kernel keeps it, in percent of one core.
 * Usage: npm run bench -- idle
 */
import { setTimeout as sleep } from "node:timers/promises";
import { eventsIn, inHome, leavesAtWork, withRun } from "./a-run.mjs";
import { rounded } from "./figures.mjs";
import { TICKS_A_SECOND, ticksOf } from "./processor-time.mjs";
import { keepResults } from "./results.mjs";

const LEAVES = 19; // and the root
const SETTLE_MS = 15_000; // some 8 s after the last work V8 tidies up the heap of each agent, once
const MEASURED_MS = 20_000;
const AIM_PERCENT = 2;

const task = `for i in $(seq ${LEAVES}); do agent 'sleep 120' & done; wait`;
const limits = ["--max-children", "32", "--max-concurrency", "32", "--max-agents", "32"];

await inHome((place) =>
	withRun([...limits, "--model", "shell", task], place, async (run) => {
		await leavesAtWork(place.home, LEAVES);
		await sleep(SETTLE_MS);
		const before = ticksOf(run.pid);
		const start = performance.now();
		await sleep(MEASURED_MS);
		const after = ticksOf(run.pid);
		const seconds = (performance.now() - start) / 1000;
		const percentOf = (pid) => (100 * (after.get(pid) - (before.get(pid) ?? 0))) / TICKS_A_SECOND / seconds;
		const supervisorPercent = percentOf(run.pid);
		const percent = [...after.keys()].map(percentOf).reduce((sum, each) => sum + each, 0);
		const alive = LEAVES + 1 - eventsIn(place.home).filter(({ event }) => event === "agent_ended").length;
		console.log(
			`idle: ${percent.toFixed(2)} % of a core with ${alive} agents alive, ${supervisorPercent.toFixed(2)} % of it the supervisor (aim: below ${AIM_PERCENT} %; ${after.size} processes over ${seconds.toFixed(0)} s)`,
		);
		keepResults("idle", {
			agentsAlive: alive,
			processes: after.size,
			percentOfACore: rounded(percent),
			supervisorPercent: rounded(supervisorPercent),
			measuredSeconds: rounded(seconds, 1),
		});
	}),
);
