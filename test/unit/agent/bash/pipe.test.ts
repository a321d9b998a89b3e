import { execFileSync } from "node:child_process";
import {
	closeSync,
	existsSync,
	fstatSync,
	mkdtempSync,
	readdirSync,
	readSync,
	rmSync,
	symlinkSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPipes, type Drain, type Pipe, type PipeOutcome, settle } from "../../../../src/agent/bash/pipe.ts";
import type { Timer } from "../../../../src/core/clock.ts";

function pipesIn(given: string[] = [], directory = temporaryDirectory()) {
	return { directory, pipes: createPipes(directory, { owner: "1.2-7", given }) };
}

function temporaryDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-pipes-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

function opened(outcome: PipeOutcome): Pipe {
	if (outcome.is === "failed") throw new Error(outcome.reason);
	onTestFinished(() => {
		closeSync(outcome.readEnd);
		closeSync(outcome.writeEnd);
	});
	return outcome;
}

/** What comes out of a pipe after `text` was written into it. */
function through({ readEnd, writeEnd }: Pipe, text: string): string {
	writeSync(writeEnd, text);
	const buffer = Buffer.alloc(64);
	return buffer.toString("utf8", 0, readSync(readEnd, buffer));
}

test("given pipes are taken first, each once, and leave no name; then more are made, several at once", async () => {
	const { directory, pipes } = pipesIn(["stock-1"]);
	execFileSync("mkfifo", [join(directory, "stock-1")]);
	await pipes.prepare();
	expect(readdirSync(directory)).toEqual(["stock-1"]);
	const [first, second] = [opened(await pipes.take()), opened(await pipes.take())];
	expect([through(first, "one"), through(second, "two")]).toEqual(["one", "two"]);
	expect(fstatSync(first.writeEnd).isFIFO()).toBe(true);
	expect(readdirSync(directory).sort()).toEqual([2, 3, 4, 5, 6, 7, 8].map((n) => `1.2-7-${n}`));
	pipes.discard();
	expect(readdirSync(directory)).toEqual([]);
});

test("a name that is gone, or that something else stands for, is passed over, and nothing is opened through it", async () => {
	const { directory, pipes } = pipesIn(["gone", "file", "link", "stock-4"]);
	writeFileSync(join(directory, "file"), "not a pipe");
	execFileSync("mkfifo", [join(directory, "stock-4"), join(directory, "other")]);
	symlinkSync(join(directory, "other"), join(directory, "link"));
	expect(through(opened(await pipes.take()), "x")).toBe("x");
	expect(readdirSync(directory)).toEqual(["other"]);
});

test("a directory that a cleaner has removed is made again", async () => {
	const { directory, pipes } = pipesIn(["stock-1"], join(temporaryDirectory(), "run.pipes"));
	expect(through(opened(await pipes.take()), "x")).toBe("x");
	expect(existsSync(directory)).toBe(true);
});

test("when nothing of its path is left it is made again, too, and where that cannot be the spare one is used", async () => {
	const home = temporaryDirectory();
	const { directory, pipes } = pipesIn(["stock-1"], join(home, "gone", "run.pipes"));
	expect(through(opened(await pipes.take()), "x")).toBe("x");
	expect(existsSync(directory)).toBe(true);
	writeFileSync(join(home, "file"), "");
	const spare = join(home, "spare", "run.pipes");
	const moved = createPipes(join(home, "file", "run.pipes"), { owner: "1", given: ["stock-1"], spare });
	expect(through(opened(await moved.take()), "y")).toBe("y");
	expect(readdirSync(spare)).toHaveLength(7);
});

test("where no pipe can be made there is a reason for the model", async () => {
	const file = join(temporaryDirectory(), "file");
	writeFileSync(file, "");
	expect(await pipesIn([], join(file, "run.pipes")).pipes.take()).toEqual({
		is: "failed",
		reason: expect.stringMatching(`^no pipe for the output could be made in ${file}/run.pipes: .*not a directory`),
	});
});

test("twenty commands that start at once have a pipe each", async () => {
	const { pipes } = pipesIn();
	const taken = (await Promise.all(Array.from({ length: 20 }, () => pipes.take()))).map(opened);
	expect(new Set(taken.map(({ readEnd }) => fstatSync(readEnd).ino)).size).toBe(20);
	pipes.discard();
});

/** Time passes only in timers, which are due at once. */
function createClock(): Timer & { time: number } {
	const clock = {
		time: 0,
		elapsed: () => clock.time,
		after: (ms: number, onTime: () => void) => {
			clock.time += ms;
			queueMicrotask(onTime);
			return () => {};
		},
	};
	return clock;
}

function createDrain(): { -readonly [Key in keyof Drain]: Drain[Key] } {
	return { hasEnded: new Promise(() => {}), isOver: false, bytes: 0, isHeld: false, release: () => {} };
}

test("while a process is at work a quiet pipe is waited for, at most 2 s", async () => {
	const clock = createClock();
	let looks = 0;
	await settle(createDrain(), clock, () => ++looks < 5);
	expect(clock.time).toBe(500);
	await settle(createDrain(), clock, () => true);
	expect(clock.time).toBe(2_500);
});

test("a pipe that is never quiet is left after 2 s", async () => {
	const clock = createClock();
	const drain = createDrain();
	const noisy: Timer = {
		...clock,
		after: (ms, onTime) =>
			clock.after(ms, () => {
				drain.bytes++;
				onTime();
			}),
	};
	await settle(drain, { ...noisy, elapsed: clock.elapsed }, () => expect.unreachable());
	expect(clock.time).toBe(2_000);
});

test("what a process prints that ends while it is looked for is waited for", async () => {
	const clock = createClock();
	const drain = createDrain();
	let looks = 0;
	const printsAndEnds = () => {
		if (looks++ === 0) setImmediate(() => void drain.bytes++); // it is in the pipe, and will be read next
		return false;
	};
	await settle(drain, clock, printsAndEnds);
	expect([looks, drain.bytes, clock.time]).toEqual([2, 1, 300]);
});
