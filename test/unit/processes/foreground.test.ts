import { expect, test } from "vitest";
import { groupsOfPs, groupsOfStat, isForemost } from "../../../src/processes/foreground.ts";

test.each([
	["123 (node) S 100 123 100 34816 123 4194304 1", { own: 123, foreground: 123 }],
	["123 (a) (b) S\n) S 100 120 100 34816 100 4194304 1", { own: 120, foreground: 100 }],
	["123 (node) S 1 123 123 0 -1 4194304 1", { own: 123, foreground: -1 }],
])("/proc tells the groups: %j", (stat, groups) => expect(groupsOfStat(stat)).toEqual(groups));

test.each([
	["  123   123\n", { own: 123, foreground: 123 }],
	["120 100\n", { own: 120, foreground: 100 }],
	["", { own: 0, foreground: 0 }],
])("ps tells the groups: %j", (stdout, groups) => expect(groupsOfPs(stdout)).toEqual(groups));

test("who has no terminal, or is not told, takes itself for the one in front", () => {
	expect([
		isForemost({ own: 123, foreground: 123 }),
		isForemost({ own: 120, foreground: 100 }),
		isForemost({ own: 123, foreground: -1 }),
		isForemost({ own: 0, foreground: 0 }),
	]).toEqual([true, false, true, true]);
});
