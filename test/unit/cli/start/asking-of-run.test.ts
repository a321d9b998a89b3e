import { expect, test } from "vitest";
import { askingOfRun, type Face } from "../../../../src/cli/start/asking-of-run.ts";
import type { AskMode } from "../../../../src/core/ask-mode.ts";
import type { AskingRequest } from "../../../../src/project/config/asking-options.ts";

const NO_RULES = { allow: [], ask: [], deny: [] };
const PERMISSIONS = { allow: ["Bash(ls)"], ask: ["git push"], deny: ["Bash(rm -rf *)"] };

test("of a run that skips permissions only the rules that deny are left", () => {
	const request = { waits: false, rules: NO_RULES, skipsPermissions: true } as const;
	expect(askingOfRun(request, { configuration: { permissions: PERMISSIONS }, face: "screen" })).toEqual({
		...{ waits: false, mode: "skipped" },
		rules: [{ source: "your configuration", allow: [], ask: [], deny: ["Bash(rm -rf *)"] }],
	});
	expect(askingOfRun(request, { configuration: {}, face: "screen" })).toEqual({ waits: false, mode: "skipped" });
});

const given = (request: Partial<AskingRequest>, face: Face, ask?: AskMode) => {
	const { mode, waits } = askingOfRun(
		{ waits: false, rules: NO_RULES, ...request },
		{ configuration: { ...(ask && { ask }) }, face },
	);
	return [mode, waits];
};

test.each([
	[{}, "screen", undefined, "edge", true],
	[{}, "later", undefined, "never", false],
	[{}, "none", undefined, "never", false],
	[{ waits: true }, "none", undefined, "edge", true],
	[{ mode: "edge" }, "none", undefined, "edge", false],
	[{ mode: "edge" }, "later", undefined, "edge", true],
	[{ mode: "always" }, "screen", undefined, "always", true],
	[{ mode: "never" }, "screen", undefined, "never", false],
	[{ mode: "never", waits: true }, "screen", undefined, "never", true],
	[{}, "none", "always", "always", false],
	[{}, "screen", "never", "never", false],
	[{ mode: "edge" }, "screen", "never", "edge", true],
] as const)("with %j, a face %s and %s in the configuration it is %s, %s", (request, face, ask, mode, waits) => {
	expect(given(request, face, ask)).toEqual([mode, waits]);
});

test("answers for the project count above the configuration, and below the command line", () => {
	const answers = { root: "/p", file: "/c/grants.jsonl", rules: ["Bash(make *)"], damaged: 0 };
	const request = { waits: false, rules: { ...NO_RULES, ask: ["make all"] } };
	expect(askingOfRun(request, { configuration: { permissions: PERMISSIONS }, face: "none", answers })).toEqual({
		...{ waits: false, mode: "never", project: { root: "/p", file: "/c/grants.jsonl" } },
		rules: [
			{ source: "your configuration", ...PERMISSIONS },
			{ source: "your answers for this project", allow: ["Bash(make *)"], ask: [], deny: [] },
			{ source: "the command line", allow: [], ask: ["make all"], deny: [] },
		],
	});
});
