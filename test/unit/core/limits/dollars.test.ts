import { expect, test } from "vitest";
import { addDollars, roundDollars } from "../../../../src/core/model/usage.ts";
import { diceOf } from "../../dice.ts";

// Seen to fail with plain additions: the sums differ in their last digits.
test("costs add up to the same sum in any order and grouping, and the sum has no noise", () => {
	expect([addDollars(0.1, 0.2), addDollars(0.1, null), addDollars(null, 1)]).toEqual([0.3, null, null]);
	const dice = diceOf(1);
	const costs = Array.from({ length: 3000 }, () => roundDollars(dice.roll(1_000_000) / 7e6));
	const sum = (list: number[]) => list.reduce((all, one) => addDollars(all, one) ?? 0, 0);
	const grouped = sum([sum(costs.slice(0, 700)), sum(costs.slice(700, 710)), sum(costs.slice(710))]);
	expect([sum(costs.toReversed()), grouped]).toEqual([sum(costs), sum(costs)]);
	expect(roundDollars(costs.reduce((all, one) => all + one, 0))).toBe(sum(costs));
	expect(String(sum(costs))).toMatch(/^\d+\.\d{1,9}$/);
});

test("a sum that no call can have cost, as in a damaged file, is still a number", () => {
	expect(addDollars(1e300, 1)).toBe(1e300);
});
