import { expect, test } from "vitest";
import { readAsking, refuseAsking } from "../../../../src/project/config/asking-options.ts";

const SKIP = { "dangerously-skip-permissions": true };

test("permissions are skipped by the option alone, and the variable of a mode does not count then", () => {
	expect(readAsking(SKIP, { AGENTREE_ASK: "always" })).toEqual({
		...{ waits: false, skipsPermissions: true },
		rules: { allow: [], ask: [], deny: [] },
	});
	expect(readAsking({}, { AGENTREE_DANGEROUSLY_SKIP_PERMISSIONS: "1" })).not.toHaveProperty("skipsPermissions");
});

test.each([
	["sandbox", "workspace"],
	["allow-write", "/x"],
	["allow-read", "/x"],
	["deny-read", "/x"],
	["net", "none"],
	["allow-host", "x.org"],
	["ask", "edge"],
	["ask-for", "git push"],
])("an explicit --%s contradicts it", (flag, value) => {
	expect(() => readAsking({ ...SKIP, [flag]: value }, {})).toThrow(`--${flag} contradict each other`);
});

test("rules that deny, and questions of agents, go with it", () => {
	const values = { ...SKIP, deny: "Bash(git push *)", "ask-wait": true };
	expect(readAsking(values, {})).toMatchObject({ waits: true, rules: { deny: ["Bash(git push *)"] } });
});

test("inside a run it is refused", () => {
	expect(() => refuseAsking(SKIP)).toThrow("works only when you start a run, not inside one");
});
