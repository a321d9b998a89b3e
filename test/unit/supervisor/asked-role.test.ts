import { expect, test } from "vitest";
import type { FoundRole } from "../../../src/instructions/find-role.ts";
import type { Join } from "../../../src/protocol/agent-messages.ts";
import { inRole } from "../../../src/supervisor/asked-role.ts";

const JOIN: Join = { say: "join", pid: 5, pidNamespace: null, cwd: "/work", task: "x", limits: {}, role: "r" };
const ROLE: FoundRole = { name: "r", description: "", text: "t", limits: {}, notices: [], path: "/work/r.md" };
const BOUNDS = { model: "shell", cwd: "/none", directory: "/none" };

test("what a process asks for comes before what its role has", () => {
	const role: FoundRole = { ...ROLE, model: "haiku", effort: "low" };
	expect(inRole(JOIN, role, BOUNDS)).toEqual({ ...JOIN, model: "claude-haiku-5-5", effort: "low" });
	const asked: Join = { ...JOIN, model: "shell", effort: "high" };
	expect(inRole(asked, role, BOUNDS)).toEqual(asked);
});

test("of two limits the smaller one counts, whoever has it", () => {
	const role: FoundRole = { ...ROLE, limits: { maxTurns: 5, maxTokens: 100 } };
	expect(inRole({ ...JOIN, limits: { maxTurns: 9, maxDepth: 0 } }, role, BOUNDS).limits).toEqual({
		...{ maxTurns: 5, maxTokens: 100, maxDepth: 0 },
	});
	expect(inRole({ ...JOIN, limits: { maxTurns: 2 } }, role, BOUNDS).limits).toEqual({ maxTurns: 2, maxTokens: 100 });
});

test("a model of a role that is not known, or is a file elsewhere, is not used", () => {
	for (const model of ["gpt", "script:/etc/passwd", "script:none.yaml"])
		expect(inRole(JOIN, { ...ROLE, model }, BOUNDS)).toEqual(JOIN);
});
