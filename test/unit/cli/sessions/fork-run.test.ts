import { existsSync, readdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { forkRun } from "../../../../src/cli/sessions/fork-run.ts";
import { runsDirectory } from "../../../../src/record/run-directory.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { runFile, temporaryHome } from "../../record/fabricate.ts";

// Seen to fail: it was a bug of ours, with exit code 70.
test.each(["before", "while"])(
	"a run that is removed %s it is copied is said to be gone, and no half of it stays",
	(when) => {
		const home = temporaryHome();
		const { directory, close } = createRun(home, runFile());
		close();
		const remove = () => rmSync(directory, { recursive: true, force: true });
		if (when === "before") remove();
		const random = () => {
			remove();
			return 0.5;
		};
		const host = { home, env: {}, uid: process.getuid?.() ?? 0, now: 0, random };
		expect(() => forkRun({ run: "r", directory }, {}, host)).toThrow(expect.objectContaining({ code: "not_found" }));
		expect(existsSync(directory)).toBe(false);
		expect(readdirSync(runsDirectory(home))).toEqual([]);
	},
);
