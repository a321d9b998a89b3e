import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { withSourcePositions } from "../../../src/terminal/bugs.ts";

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
