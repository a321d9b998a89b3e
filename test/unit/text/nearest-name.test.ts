import { expect, test } from "vitest";
import { nearestName } from "../../../src/text/nearest-name.ts";

const NAMES = ["attach", "doctor", "help", "quit", "ps", "show", "undo"];

test.each([
	["undoo", "undo"], // a letter too many
	["doctr", "doctor"], // one that is missing
	["shaw", "show"], // another one
	["hlep", "help"], // two that are swapped
	["attahc", "attach"],
	["quti", "quit"],
	["bogus", undefined],
	["x", undefined],
])("who writes %s means %s", (written, meant) => {
	expect(nearestName(written, NAMES)).toBe(meant);
});
