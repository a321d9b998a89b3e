import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chosenRemovals } from "../../../../src/cli/sessions/remove-run.ts";
import { removalLines } from "../../../../src/cli/sessions/session-rows.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import { runDirectory } from "../../../../src/record/run-directory.ts";
import { T0, temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "./fabricated-sessions.ts";

const DAY_MS = 86_400_000;

function place() {
	const home = temporaryHome();
	fabricateRun(home, 1);
	fabricateRun(home, 2, { endedAt: T0 + 25 * DAY_MS });
	fabricateRun(home, 3, { cwd: "/elsewhere" });
	return { home, cwd: "/work/project", now: T0 + 31 * DAY_MS };
}

test.each([
	[["e2"], {}, ["2"]],
	[["e2", "e2", "e3"], {}, ["2", "3"]],
	[[], { "older-than": "30d" }, ["1"]],
	[[], { "older-than": "30d", "all-directories": true }, ["3", "1"]],
	[[], { "older-than": "5d" }, ["2", "1"]],
	[[], { "older-than": "40d" }, []],
])("%j %j chooses %j", (refs, values, chosen) => {
	expect(chosenRemovals(refs, values, place()).map(({ run }) => run.slice(-1))).toEqual(chosen);
});

test.each([
	[[], {}, /which runs\?/],
	[[], { "all-directories": true }, /which runs\?/],
	[["e1"], { "older-than": "1d" }, /name runs or use --older-than/],
	[[], { "older-than": "30" }, /must be a time such as 30d/],
	[["20261127"], {}, /several runs/],
])("%j %j is refused", (refs, values, why) => expect(() => chosenRemovals(refs, values, place())).toThrow(why));

test("what would go is shown with its size and the sum; a run that cannot be read, too", () => {
	const { home, cwd, now } = place();
	writeFileSync(join(runDirectory(home, "20261127-201530-e3"), "run.json"), "");
	const chosen = chosenRemovals(["e1", "e3"], {}, { home, cwd, now });
	const sized = chosen.map((run, at) => ({ ...run, size: { bytes: 4_096 * (at + 1), isWhole: at === 0 } }));
	expect(removalLines(sized, { now, columns: 80, paint: PLAIN })).toMatchInlineSnapshot(`
		[
		  "RUN                 AGE    SIZE  TASK",
		  "20261127-201530-e1  30d   4 KiB  count the lines",
		  "20261127-201530-e3    ?  8 KiB+",
		  "2 runs: 12 KiB+",
		]
	`);
});
