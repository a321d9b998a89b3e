import { expect, test } from "vitest";
import { unfinishedIn } from "../../../../src/cli/chat/create-chat.ts";
import { temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "../sessions/fabricated-sessions.ts";

// Seen to fail: it was called by its task.
test("an unfinished conversation is called by its name where it has one, as in lists", () => {
	const home = temporaryHome();
	const { cwd } = fabricateRun(home, 1, {
		task: "fix it",
		name: "the parser",
		ending: { by: "failure", reason: "no", exitCode: 1 },
	});
	expect(unfinishedIn(home, cwd)).toMatch(/^unfinished here: the parser \(failed, /);
});
