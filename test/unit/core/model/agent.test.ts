import { expect, test } from "vitest";
import {
	compareAgentIds,
	depthOf,
	isAgentId,
	isWithin,
	parentOf,
	withAncestors,
} from "../../../../src/core/model/agent.ts";
import { diceOf } from "../../dice.ts";

test("the path tells the parent, and the root has none", () => {
	expect(["1", "1.2", "1.2.30"].map(parentOf)).toEqual([undefined, "1", "1.2"]);
});

test("the root is at depth 0, its children at 1", () => {
	expect(["1", "1.10", "1.10.1.4"].map(depthOf)).toEqual([0, 1, 3]);
});

test("an agent is within itself and those above it, never within one whose number only begins alike", () => {
	expect(isWithin("1.2", "1.2")).toBe(true);
	expect(isWithin("1.2.1", "1")).toBe(true);
	expect(isWithin("1.20", "1.2")).toBe(false);
	expect(isWithin("1", "1.2")).toBe(false);
});

test("the line of an agent goes from itself to the root", () => {
	expect(withAncestors("1.2.30")).toEqual(["1.2.30", "1.2", "1"]);
});

test("parents come before children and siblings by number, from any order", () => {
	const inOrder = ["1", "1.1", "1.1.1", "1.2", "1.2.3", "1.2.11", "1.10", "1.10.1"];
	const dice = diceOf(7);
	for (let round = 0; round < 50; round++) {
		const shuffled = [...inOrder];
		for (let i = shuffled.length - 1; i > 0; i--) {
			const j = dice.roll(i + 1);
			[shuffled[i], shuffled[j]] = [shuffled[j] as string, shuffled[i] as string];
		}
		expect(shuffled.sort(compareAgentIds)).toEqual(inOrder);
	}
});

test.each(["1", "1.2", "1.2.30", "2"])("%j is an agent's id", (text) => {
	expect(isAgentId(text)).toBe(true);
});

test.each(["", "0", "01", "1.", ".1", "1..2", "1.0", "1.02", "1.2\n", " 1", "1/2", "-1", "1.x"])(
	"%j is no agent's id",
	(text) => {
		expect(isAgentId(text)).toBe(false);
	},
);
