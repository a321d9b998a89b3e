import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { AgentreeError } from "../../../src/core/errors.ts";
import { Bugs, withSourcePositions } from "../../../src/terminal/bugs.ts";

function bugsIn(): Bugs & { file: string } {
	const directory = mkdtempSync(join(tmpdir(), "agentree-bugs-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	return Object.assign(new Bugs(() => 0), { file: join(directory, "bugs.log") });
}

test("an error that the process goes on after leaves its stack and its causes in the run's file", () => {
	const bugs = bugsIn();
	bugs.note(new Error("broken", { cause: new Error("the cause") }));
	const lines = readFileSync(bugs.file, "utf8").split("\n");
	expect(lines.filter((line) => !/^ {4}at |^$/.test(line))).toEqual([
		expect.stringMatching(/^1970-01-01T00:00:00.000Z .*pid \d+/),
		"Error: broken",
		"caused by: Error: the cause",
	]);
	expect(lines[2]).toMatch(/^ {4}at .*bugs.test.ts/);
});

test("a refusal and a shortage leave none: they are no bugs", () => {
	const bugs = bugsIn();
	bugs.note(new AgentreeError("usage", "no such file"));
	bugs.note(Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }));
	expect(() => readFileSync(bugs.file)).toThrow("ENOENT");
});

const SOURCE = `
export function fail(): never {
	const what: string = "on purpose";
	throw new Error(what);
}
`;

/** The stack of an error thrown by a bundle of that source, `src/fails.ts`, in a folder whose name has a space. */
async function stackOfBundle(): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "agentree positions-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	mkdirSync(join(home, "dist"));
	await build({
		stdin: { contents: SOURCE, loader: "ts", sourcefile: "src/fails.ts", resolveDir: home },
		...{ absWorkingDir: home, outfile: join(home, "dist/fails.js"), sourcemap: "linked", sourcesContent: false },
		...{ format: "cjs", minify: true, logLevel: "silent" },
	});
	try {
		createRequire(import.meta.url)(join(home, "dist/fails.js")).fail();
	} catch (error) {
		return (error as Error).stack ?? "";
	}
	return "";
}

test("a place in a bundle becomes the place in the source, by the map beside the bundle", async () => {
	const stack = await stackOfBundle();
	const [message, first] = withSourcePositions(stack).split("\n");
	expect(stack.split("\n")[1]).toMatch(/dist\/fails\.js:1:\d+\)$/);
	expect([message, first]).toEqual([
		"Error: on purpose",
		expect.stringMatching(/^ {4}at \S+ \(src\/fails\.ts:4:\d+\)$/),
	]);
});

test("a place that no map knows stays as it is", () => {
	const stack = [
		"TypeError: a /strange.js:1:1 message",
		"    at f (/nowhere/a.js:1:2)",
		"    at file:///nowhere/b.mjs:3:4",
		"    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
		"    at <anonymous>",
	].join("\n");
	expect(withSourcePositions(stack)).toBe(stack);
});
