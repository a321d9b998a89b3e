/** What a watcher is told of agents that it does not look at, by the whole program before a service that refuses calls. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRunFile } from "../../../src/record/read-run.ts";
import { connectAsWatcher } from "../../../src/wire/watcher-connection.ts";
import type { ToldActivity } from "../../../src/wire/watcher-messages.ts";
import type { FakeAnswer } from "../../fixtures/fake-api.ts";
import { type Program, temporaryHome } from "../program.ts";
import { runs, says, startApiRun } from "./api-run.ts";

const STREAMS: FakeAnswer = {
	content: [says("some words")],
	beforeEvent: (event) => (event === "content_block_stop" ? new Promise<void>(() => {}) : undefined),
};
const REFUSES: FakeAnswer = {
	error: { status: 429, type: "rate_limit_error", message: "Too many", headers: { "retry-after": "200" } },
};

/** A FIFO that a command waits at, in its working directory. */
function gate(home: string): { path: string; open: () => void } {
	const path = join(home, "gate");
	execFileSync("mkfifo", [path]);
	// Open at both ends, so that no end waits for the other one: else a test whose command is gone would stand still forever.
	const ends = openSync(path, "r+");
	onTestFinished(() => closeSync(ends));
	return { path, open: () => writeSync(ends, "\n") };
}

/** All that was told so far; `when` resolves once it is as wanted. */
async function watch(program: Program) {
	const watcher = await connectAsWatcher(readRunFile(await program.runDirectory()).socket);
	onTestFinished(() => watcher.close());
	const known = { tokens: {} as Record<string, number>, held: {} as Record<string, number>, queue: [] as string[] };
	let check = () => {};
	watcher.onMessage((message) => {
		if (message.say !== "activity") return;
		const { tokens, held, queue }: ToldActivity = message;
		Object.assign(known.tokens, tokens);
		known.held = held ?? known.held;
		known.queue = queue?.first ?? known.queue;
		check();
	});
	watcher.send({ say: "watch", activity: true });
	const when = (isSo: () => boolean) =>
		new Promise<void>((resolve) => {
			check = () => isSo() && resolve();
			check();
		});
	return { known, when };
}

test("a watcher is told whose answer grows, whose call waits for the service, and who is next in the queue", async () => {
	const home = temporaryHome();
	const next = gate(home);
	const wait = `read -r _ < ${next.path}`;
	const { program } = await startApiRun(
		{
			look: [
				{
					content: [
						runs(
							"toolu_1",
							`agent streams & ${wait}; agent refused & ${wait}; agent held & ${wait}; agent queued & wait`,
						),
					],
				},
			],
			streams: [STREAMS],
			refused: [REFUSES],
		},
		["--max-concurrency", "3", "look"],
		{ home },
	);
	await program.waitForEvent((event) => event.event === "agent_joined");
	const { known, when } = await watch(program);
	const began = Date.now();
	await when(() => "1.1" in known.tokens);
	expect(known).toMatchObject({ held: {}, queue: [] });
	next.open();
	await program.waitForEvent((event) => event.event === "turn_retrying");
	next.open();
	await when(() => "1.3" in known.held);
	expect([Object.keys(known.tokens).filter((agent) => agent !== "1"), Object.keys(known.held)]).toEqual([
		["1.1"],
		["1.3"],
	]);
	const times = [known.tokens["1.1"], known.held["1.3"]].map(Number);
	for (const time of times) expect(Math.abs(time - began)).toBeLessThan(60_000);
	next.open();
	await when(() => known.queue.length > 0);
	expect(known.queue).toEqual(["1.4"]);
	program.kill("SIGINT");
	await program.ended;
});
