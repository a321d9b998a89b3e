import { expect, test } from "vitest";
import type { FoundRole } from "../../../../src/project/instructions/find-role.ts";
import { inRole, roleModel } from "../../../../src/supervisor/agents/asked-role.ts";
import type { Join } from "../../../../src/wire/agent-messages.ts";

const JOIN: Join = { say: "join", pid: 5, pidNamespace: null, cwd: "/work", task: "x", limits: {}, role: "r" };
const ROLE: FoundRole = { name: "r", description: "", text: "t", limits: {}, notices: [], path: "/work/r.md" };
const BOUNDS = {
	...{ model: "shell", cwd: "/none", directory: "/none", prices: [] },
	parentModel: "claude-opus-5-5",
};

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

test("a model of a role that is not known, or is a file elsewhere, is not used, and that is told", () => {
	for (const model of ["gpt", "script:/etc/passwd", "script:none.yaml"]) {
		expect(inRole(JOIN, { ...ROLE, model }, BOUNDS)).toEqual(JOIN);
		expect(roleModel({ ...ROLE, model }, JOIN, BOUNDS)).toEqual({ notice: `model (${model}): it is unknown` });
	}
});

test.each([
	["haiku", "claude-opus-5-5", "claude-haiku-5-5"],
	["sonnet", "claude-sonnet-5-5", "claude-sonnet-5-5"],
	["shell", "claude-haiku-5-5", "shell"],
])("the model %s of a role is that of a child of one with %s: it costs no more", (model, parentModel, used) => {
	expect(inRole(JOIN, { ...ROLE, model }, { ...BOUNDS, parentModel }).model).toBe(used);
	expect(roleModel({ ...ROLE, model }, JOIN, { ...BOUNDS, parentModel })).toEqual({ model: used });
});

test.each([
	["opus", "claude-haiku-5-5", "it costs more than claude-haiku-5-5, the model of the agent above"],
	["haiku", "shell", "it costs more than shell, the model of the agent above"],
	["openai/x", "claude-haiku-5-5", "it may cost more than claude-haiku-5-5, the model of the agent above"],
	["haiku", "openai/x", "it may cost more than openai/x, the model of the agent above"],
])("the model %s of a role is not that of a child of one with %s, which is told", (model, parentModel, why) => {
	const bounds = { ...BOUNDS, parentModel };
	expect(inRole(JOIN, { ...ROLE, model }, bounds).model).toBeUndefined();
	expect(roleModel({ ...ROLE, model }, JOIN, bounds)).toEqual({ notice: `model (${model}): ${why}` });
	expect(inRole({ ...JOIN, model: "claude-opus-5-5" }, { ...ROLE, model }, bounds).model).toBe("claude-opus-5-5");
});
