import { mkdirSync, mkdtempSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionDirectory } from "../../../../src/cli/sessions/find-session.ts";
import { defined } from "../../../../src/core/defined.ts";
import { directoryId } from "../../../../src/record/files/regular-file.ts";
import { runFile, temporaryHome } from "../../record/fabricate.ts";

function place() {
	const home = temporaryHome();
	const cwd = mkdtempSync(join(home, "own-"));
	const here = join(home, "here");
	return { here, cwd, file: runFile({ run: "r", cwd, ...defined({ cwdId: directoryId(cwd) }) }) };
}

test("a session goes on in the directory that it was in, which is told where that is another one", () => {
	const { here, cwd, file } = place();
	mkdirSync(here);
	expect(sessionDirectory(file, cwd)).toEqual({ cwd });
	expect(sessionDirectory(file, here)).toEqual({ cwd, notice: `run r continues in its own directory, ${cwd}` });
});

test("a session whose directory was renamed goes on in it, also when another one has its name", () => {
	const { here, cwd, file } = place();
	renameSync(cwd, here);
	mkdirSync(cwd);
	const moved = sessionDirectory(file, here);
	expect(moved).toMatchObject({ cwd: here, notice: `run r continues in ${here}; it was in ${cwd}, which was renamed` });
});

test("a session whose directory is gone goes on where the person is", () => {
	const { here, cwd, file } = place();
	mkdirSync(here);
	rmdirSync(cwd);
	expect(sessionDirectory(file, here)).toMatchObject({
		cwd: here,
		notice: expect.stringMatching(/no longer exists$/),
	});
});
