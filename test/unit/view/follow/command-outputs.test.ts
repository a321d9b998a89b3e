import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CommandOutput } from "../../../../src/record/command-output.ts";
import { CommandOutputs, type OutputPart } from "../../../../src/view/follow/command-outputs.ts";
import { temporaryHome } from "../../record/fabricate.ts";

function outputsOf(maySkip = false) {
	const directory = temporaryHome();
	const damage: string[] = [];
	let now = 1_800_000_000_000;
	const pathOf = (log: string) => join(directory, log);
	const outputs = new CommandOutputs({
		outputOf: (log) => new CommandOutput(pathOf(log)),
		now: () => now,
		maySkip,
		damaged: (what) => damage.push(what),
	});
	onTestFinished(() => outputs.close());
	const readAll = (command: number) => {
		const parts: OutputPart[] = [];
		for (let part = outputs.read(command); part !== undefined; part = outputs.read(command)) parts.push(part);
		return parts;
	};
	const linesOf = (command: number) => readAll(command).flatMap(({ lines }) => lines);
	const wait = (ms: number) => {
		now += ms;
	};
	return { outputs, pathOf, damage, readAll, linesOf, wait };
}

test("the lines of commands that run side by side are told as they come, each once", () => {
	const { outputs, pathOf, linesOf } = outputsOf();
	outputs.start(1, "1.log");
	outputs.start(2, "2.log");
	expect([outputs.commands, linesOf(1)]).toEqual([[1, 2], []]);
	writeFileSync(pathOf("1.log"), "one\ntw");
	writeFileSync(pathOf("2.log"), "zwei\n");
	expect([linesOf(1), linesOf(2)]).toEqual([["one"], ["zwei"]]);
	appendFileSync(pathOf("1.log"), "o\nthree");
	expect(linesOf(1)).toEqual(["two"]);
	expect(outputs.end(1)).toEqual({ part: { command: 1, skipped: 0, lines: ["three"] }, isTold: true });
	expect(outputs.end(2)).toEqual({ part: { command: 2, skipped: 0, lines: [] }, isTold: true });
	expect(outputs.commands).toEqual([]);
});

test("a command without a file has told nothing", () => {
	const { outputs } = outputsOf();
	outputs.start(1, "1.log");
	expect(outputs.read(1)).toBeUndefined();
	expect(outputs.end(1).isTold).toBe(false);
});

test("a line that has begun is told when its command rests", () => {
	const { outputs, pathOf, linesOf, wait } = outputsOf();
	outputs.start(1, "1.log");
	writeFileSync(pathOf("1.log"), "Continue? ");
	expect([linesOf(1), outputs.tick()]).toEqual([[], []]);
	wait(1_000);
	expect(outputs.tick()).toEqual([{ command: 1, skipped: 0, lines: ["Continue? "] }]);
	expect(outputs.end(1).part.lines).toEqual([]);
});

test("of a command that has run for a while the end is told, from the beginning of a line, and the rest is counted", () => {
	const { outputs, pathOf, readAll } = outputsOf();
	const text = Array.from({ length: 2_000 }, (_, n) => `line ${n}`).join("\n");
	writeFileSync(pathOf("1.log"), `${text}\n`);
	outputs.start(1, "1.log", true);
	const [part] = readAll(1);
	expect(part?.lines.at(-1)).toBe("line 1999");
	expect(part?.lines[0]).toMatch(/^line \d{4}$/);
	expect((part?.skipped ?? 0) + (part?.lines.join("\n").length ?? 0) + 1).toBe(text.length + 1);
	expect(part?.skipped).toBeGreaterThan(text.length - 4_200);
});

// Seen to fail when a person at a terminal waited for megabytes to go by, and with a pipe that lost lines.
test("of more than a person can read only the end is told on a terminal, and all of it elsewhere", () => {
	const text = "0123456789abcde\n".repeat(20_000);
	const read = (maySkip: boolean) => {
		const { outputs, pathOf, readAll } = outputsOf(maySkip);
		outputs.start(1, "1.log");
		writeFileSync(pathOf("1.log"), text);
		const parts = readAll(1);
		const skipped = parts.reduce((sum, part) => sum + part.skipped, 0);
		return [skipped, parts.flatMap(({ lines }) => lines).length];
	};
	expect(read(false)).toEqual([0, 20_000]);
	const [skipped = 0, lines = 0] = read(true);
	expect(lines).toBeLessThan(600);
	expect(skipped + lines * 16).toBe(text.length);
});

test("a file that cannot be read is said once, and its result is told later", () => {
	const { outputs, pathOf, damage } = outputsOf();
	mkdirSync(pathOf("1.log"));
	outputs.start(1, "1.log");
	expect([outputs.read(1), outputs.read(1), damage.length]).toEqual([undefined, undefined, 1]);
	expect(outputs.end(1).isTold).toBe(false);
	rmSync(pathOf("1.log"), { recursive: true });
	writeFileSync(pathOf("secret"), "secret\n");
	symlinkSync(pathOf("secret"), pathOf("2.log"));
	outputs.start(2, "2.log", true);
	expect([outputs.read(2), damage.length]).toEqual([undefined, 2]);
});
