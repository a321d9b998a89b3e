import { expect, test } from "vitest";
import { formatCost, formatDollars } from "../../../src/text/numbers.ts";

test.each([
	[null, "?"],
	[0, "-"],
	[0.00001, "<$0.0001"],
	[0.01234, "$0.0123"],
	[12.345, "$12.35"],
])("a cost of %s reads %s", (usd, text) => expect(formatCost(usd)).toBe(text));

test.each([
	[2, "$2"],
	[0.42, "$0.42"],
	[1.5, "$1.50"],
	[0.005, "$0.005"],
	[0, "$0"],
])("the budget %d reads %s", (usd, text) => expect(formatDollars(usd)).toBe(text));
