/**
 * What lies between an answer and the request that follows it: a run of 300 turns, each of which runs `true`, against a
 * service on 127.0.0.1. Before each answer the service takes the time of a `bash -c true` beside a bare pipe, so that both
 * are measured in the same moment. The gap is the program's own, from `turn_ended` to `turn_started` in the event log,
 * whose whole milliseconds a mean makes finer; what the service sees has the HTTP of both sides on top.
 * Usage: npm run bench -- gap
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventsIn, inHome, outputOfRun } from "./a-run.mjs";
import { middleMean, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";
import { startService } from "./service.mjs";

const TURNS = 300;
const ENDS = 50; // turns at each end that are compared
const WARM_UP = 5;
const AIM = 1.5;

const bareMs = [];
const seenMs = []; // by the service
let answeredAt;

const service = await startService(
	async (now) => {
		if (answeredAt !== undefined) seenMs.push(now - answeredAt);
		bareMs.push(await timeBash());
		return seenMs.length >= TURNS ? { type: "text", text: "done" } : callOfTrue(seenMs.length);
	},
	() => {
		answeredAt = performance.now();
	},
);

const gapMs = await inHome(async ({ env, ...place }) => {
	const turns = String(TURNS + 10);
	const args = ["--max-turns", turns, "--max-total-turns", turns, "run true"];
	await outputOfRun(args, { ...place, env: { ...env, ...service.env } });
	return gapsIn(eventsIn(place.home));
});
service.close();

const [gap, bare, seen] = [gapMs, bareMs, seenMs].map((values) => middleMean(values.slice(WARM_UP)));
const firstToLast = (values) => middleMean(values.slice(-ENDS)) / middleMean(values.slice(WARM_UP, WARM_UP + ENDS));
const growth = firstToLast(gapMs) / firstToLast(bareMs);
console.log(
	`gap: ${gap.toFixed(1)} ms from an answer to the next request, bash -c true ${bare.toFixed(1)} ms, ratio ${(gap / bare).toFixed(2)} (aim: at most ${AIM}; ${gapMs.length} turns); as the service sees it ${seen.toFixed(1)} ms; the last ${ENDS} turns take ${growth.toFixed(2)} x as long as the first`,
);
keepResults("gap", {
	turns: gapMs.length,
	gapMs: rounded(gap),
	bashMs: rounded(bare),
	ratio: rounded(gap / bare),
	seenByServiceMs: rounded(seen),
	lastToFirst: rounded(growth),
});

function gapsIn(events) {
	const ends = events.filter(({ event }) => event === "turn_ended").map(({ at }) => at);
	const [, ...starts] = events.filter(({ event }) => event === "turn_started").map(({ at }) => at);
	return starts.map((start, i) => start - ends[i]);
}

/** As a program does that wants a command's output and its end, and nothing else. */
async function timeBash() {
	const start = performance.now();
	const child = spawn("bash", ["-c", "true"], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
	child.stdout.resume();
	child.stderr.resume();
	await once(child, "close");
	return performance.now() - start;
}

function callOfTrue(turn) {
	return { type: "tool_use", id: `call_${turn}`, name: "bash", input: { command: "true" } };
}
