import { expect, test } from "vitest";
import { withArguments } from "../../../src/instructions/user-command.ts";

test.each([
	["Fix $1 and $2, all of $ARGUMENTS.", "a b c", "Fix a and b, all of a b c."],
	["Fix $1 and $2.", "'a b' \"c d\"", "Fix a b and c d."],
	["Fix $1|$2|$9.", "a", "Fix a||."],
	["$ARGUMENTS", "$1 $ARGUMENTS $& $$", "$1 $ARGUMENTS $& $$"],
	["Costs $10, $100 and $ARGUMENTSX", "a", "Costs $10, $100 and $ARGUMENTSX\n\nArguments: a"],
	["No place.", "  a b ", "No place.\n\nArguments: a b"],
	["No place.", "", "No place."],
	["$1$1", "x", "xx"],
])("%j with %j", (text, typed, expected) => {
	expect(withArguments(text, typed)).toBe(expected);
});
