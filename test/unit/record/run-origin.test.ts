import { cpSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunFile } from "../../../src/core/schemas/run-files.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { whyForeign } from "../../../src/record/run-origin.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { runFile, temporaryHome } from "./fabricate.ts";

function made(): { home: string; directory: string; file: RunFile } {
	const home = temporaryHome();
	const run = createRun(home, runFile());
	run.close();
	return { home, directory: run.directory, file: readRunFile(run.directory) };
}

const OTHER = `id:${"0".repeat(32)}`;

test("a run is not foreign where it was made, nor after it was moved, or put back from a copy", () => {
	const { home, directory, file } = made();
	expect(whyForeign(directory, file)).toBeUndefined();
	renameSync(join(home, "runs"), join(home, "moved"));
	const moved = join(home, "moved", file.run);
	expect(whyForeign(moved, file)).toBeUndefined();
	cpSync(moved, directory, { recursive: true });
	expect(whyForeign(directory, file)).toBeUndefined();
});

test("a run is foreign when it was copied to another place, or comes from another machine, or says nothing", () => {
	const { home, directory, file } = made();
	const copy = join(home, "copy");
	cpSync(directory, copy, { recursive: true });
	expect(whyForeign(copy, file)).toBe(`it was created in ${directory}`);
	const { origin } = file;
	if (origin === undefined) throw new Error("the run has no origin");
	if (origin.host.startsWith("id:"))
		// Seen to fail with a name passed over: then an inode that was guessed was enough.
		for (const host of [OTHER, "name:made-up"])
			expect(whyForeign(directory, { ...file, origin: { ...origin, host } })).toBe(
				`it was created on another machine, in ${directory}`,
			);
	const { origin: _, ...before } = file;
	expect(whyForeign(directory, before)).toBe("where it was created is not recorded");
});

test("a run of format 1 is not foreign when its directories are its owner's, unless it lies in a repository", () => {
	const { home, directory, file } = made();
	const { origin: _, ...before } = file;
	const old = { ...before, format: 1, cwd: home, socket: join(home, "x.sock") };
	const foreign = "where it was created is not recorded";
	expect(whyForeign(directory, old)).toBeUndefined();
	expect(whyForeign(directory, { ...old, cwd: join(home, "gone") })).toBe(foreign);
	expect(whyForeign(directory, { ...old, socket: "/gone/x.sock" })).toBe(foreign);
	mkdirSync(join(home, ".git"));
	expect(whyForeign(directory, old)).toBe(foreign);
});

test("of a run that is gone meanwhile it is said", () => {
	const { directory, file } = made();
	renameSync(directory, `${directory}-moved`);
	expect(() => whyForeign(directory, file)).toThrow(/cannot read .*ENOENT/);
});
