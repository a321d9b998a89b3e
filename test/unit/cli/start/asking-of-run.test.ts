import { expect, test } from "vitest";
import { askingOfRun } from "../../../../src/cli/start/asking-of-run.ts";

const NO_RULES = { allow: [], ask: [], deny: [] };
const PERMISSIONS = { allow: ["Bash(ls)"], ask: ["git push"], deny: ["Bash(rm -rf *)"] };

test("of a run that skips permissions only the rules that deny are left", () => {
	const request = { waits: false, rules: NO_RULES, skipsPermissions: true } as const;
	expect(askingOfRun(request, { permissions: PERMISSIONS, hasFace: true })).toEqual({
		...{ waits: false, mode: "skipped" },
		rules: [{ source: "your configuration", allow: [], ask: [], deny: ["Bash(rm -rf *)"] }],
	});
	expect(askingOfRun(request, { permissions: undefined, hasFace: true })).toEqual({ waits: false, mode: "skipped" });
});
