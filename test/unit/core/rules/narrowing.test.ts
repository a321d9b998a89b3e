import { expect, test } from "vitest";
import type { ModeInForce } from "../../../../src/core/ask-mode.ts";
import { both, faultOf, modeBelow, narrowedBy } from "../../../../src/core/rules/narrowing.ts";

test("rules of a child come to those above it, and nothing takes one away", () => {
	const first = narrowedBy({ deny: ["Bash(rm *)"] }, undefined, "edge");
	const second = narrowedBy({ mode: "always", ask: ["make"], deny: ["Bash(rm *)", "npm"] }, first, "edge");
	expect(second).toEqual({ mode: "always", ask: ["make"], deny: ["Bash(rm *)", "npm"] });
	expect(narrowedBy(undefined, second, "edge")).toBe(second);
	expect(narrowedBy({ mode: "edge" }, second, "edge")).toEqual(second);
	expect(narrowedBy({ mode: "never" }, second, "edge")).toMatchObject({ mode: "closed" });
});

test.each([
	["edge", "always", undefined],
	["never", "always", undefined],
	["always", "never", undefined],
	["always", "edge", "--ask edge: the agent above asks before each command"],
	["never", "edge", "--ask edge: the agent above asks before no command"],
	["skipped", "edge", undefined],
] as const)("in a run with %s a child's --ask %s is refused with: %s", (ofRun, mode, expected) => {
	const fault = faultOf({ mode }, undefined, ofRun);
	if (expected === undefined) expect(fault).toBeUndefined();
	else expect(fault).toContain(expected);
});

test("a rule that is none is told", () => {
	expect(faultOf({ deny: ["Read(x)"] }, undefined, "edge")).toContain("another tool");
});

test("what was narrowed holds in a run that goes on with another mode, and never widens that", () => {
	const modes: ModeInForce[] = ["skipped", "edge", "never", "always", "closed"];
	expect(modes.map((ofRun) => modeBelow(ofRun, "edge"))).toEqual(["edge", "edge", "never", "always", "closed"]);
	expect(modes.map((ofRun) => modeBelow(ofRun, "closed"))).toEqual(Array(5).fill("closed"));
	expect(modes.map((ofRun) => modeBelow(ofRun, undefined))).toEqual(modes);
});

test("who starts an agent in a role adds to the role, and takes nothing from it", () => {
	expect(both({ mode: "always", deny: ["a"] }, { mode: "edge", deny: ["b"] })).toEqual({
		...{ mode: "always", ask: [], deny: ["a", "b"] },
	});
	expect(both({ mode: "never" }, undefined)).toEqual({ mode: "never" });
});
