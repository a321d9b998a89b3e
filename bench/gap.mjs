/**
 * What lies between an answer and the request that follows it: a run of 300 turns, each of which runs `true`, against a
 * service on 127.0.0.1. Before each answer the service takes the time of a `bash -c true` beside a bare pipe, so that both
 * are measured in the same moment. The gap is the program's own, from `turn_ended` to `turn_started` in the event log,
 * whose whole milliseconds a mean makes finer; what the service sees has the HTTP of both sides on top.
 * Usage: npm run bench -- gap
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { eventsIn, inHome, outputOfRun } from "./a-run.mjs";
import { middleMean, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const TURNS = 300;
const ENDS = 50; // turns at each end that are compared
const WARM_UP = 5;
const AIM = 1.5;
const MODEL = "claude-opus-5-5";

const bareMs = [];
const seenMs = []; // by the service
let answeredAt;

const service = createServer(async (request, response) => {
	const now = performance.now();
	for await (const _ of request); // the whole of it, as a service reads it
	if (answeredAt !== undefined) seenMs.push(now - answeredAt);
	bareMs.push(await timeBash());
	const isLast = seenMs.length >= TURNS;
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.end(eventsOf(isLast ? { type: "text", text: "done" } : callOfTrue(seenMs.length)), () => {
		answeredAt = performance.now();
	});
});
service.listen(0, "127.0.0.1");
await once(service, "listening");

const gapMs = await inHome(async ({ home, env }) => {
	const base = `http://127.0.0.1:${service.address().port}`;
	const turns = String(TURNS + 10);
	const args = ["--max-turns", turns, "--max-total-turns", turns, "--model", MODEL, "run true"];
	await outputOfRun(args, { home, env: { ...env, ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: base } });
	return gapsIn(eventsIn(home));
});
service.close();
service.closeAllConnections();

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

/** One answer as the service streams it. */
function eventsOf(block) {
	const usage = { input_tokens: 10, output_tokens: 10 };
	const isCall = block.type === "tool_use";
	const delta = isCall
		? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
		: { type: "text_delta", text: block.text };
	const empty = isCall ? { ...block, input: {} } : { ...block, text: "" };
	const message = {
		id: "msg",
		type: "message",
		role: "assistant",
		model: MODEL,
		content: [],
		stop_reason: null,
		usage,
	};
	return [
		{ type: "message_start", message },
		{ type: "content_block_start", index: 0, content_block: empty },
		{ type: "content_block_delta", index: 0, delta },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage },
		{ type: "message_stop" },
	]
		.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
		.join("");
}
