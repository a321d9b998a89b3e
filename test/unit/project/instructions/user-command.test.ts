import { expect, test } from "vitest";
import { withArguments } from "../../../../src/project/instructions/user-command.ts";

test.each([
	["Fix $1 and $2, all of $ARGUMENTS.", "a b c", "Fix a and b, all of a b c."],
	["Fix $1 and $2.", "'a b' \"c d\"", "Fix a b and c d."],
	["Fix $1|$2|$9.", "a", "Fix a||."],
	["$ARGUMENTS", "$1 $ARGUMENTS $& $$", "$1 $ARGUMENTS $& $$"],
	["Costs $10, $100 and $ARGUMENTSX", "a", "Costs $10, $100 and $ARGUMENTSX\n\nArguments: a"],
	["No place.", "  a b ", "No place.\n\nArguments: a b"],
	["No place.", "", "No place."],
	["$1$1", "x", "xx"],
	[
		'It costs $5,000, $1.50, US$5 or $$1; see #$1, ($2), "$1", src/$1.ts and $2.',
		"a b",
		'It costs $5,000, $1.50, US$5 or $$1; see #a, (b), "a", src/a.ts and b.',
	],
	["Costs \\$5: $1, not \\$ARGUMENTS", "a", "Costs $5: a, not $ARGUMENTS"],
	["Run `awk '{ print $1 }'` on $1", "a", "Run `awk '{ print $1 }'` on a"],
	[
		"Run\n\n```sh\necho $1 \\$2\n```\n\n    echo $ARGUMENTS\n\non ``$1 ` `` it",
		"a",
		"Run\n\n```sh\necho $1 \\$2\n```\n\n    echo $ARGUMENTS\n\non ``$1 ` `` it\n\nArguments: a",
	],
])("%j with %j", (text, typed, expected) => {
	expect(withArguments(text, typed)).toBe(expected);
});

// Seen to fail: the place in the code was filled.
test.each([
	["between fences in a list within a list", "- a\n  - b:\n    ```sh\n    echo $1\n    ```\n\non $1"],
	["between fences in a list with wide numbers", "10. a\n    ```\n    echo $1\n    ```\n\non $1"],
	["between fences that begin with the item", "- ```sh\n  echo $1\n  ```\n- on $1"],
	["between fences in a quotation", "> ```\n> echo $1\n> ```\n> on $1"],
	["between fences that end with their quotation", "> ```\n> echo $1\non $1"],
	["in a span of two lines", "run `echo\n$1` on $1"],
	["behind a span that begins with three backticks", "```echo $1``` on\n$1"],
	["indented in an item", "- a\n\n      echo $1\n\n  on $1"],
	["in an element of HTML", "<pre>\necho $1\n</pre> <code>$1</code> on $1"],
])("no place is in code %s", (_, text) => {
	const last = text.lastIndexOf("$1");
	expect(withArguments(text, "x")).toBe(`${text.slice(0, last)}x${text.slice(last + 2)}`);
});

test.each([
	["an item", "- a\n    and $1"],
	["a second paragraph of an item", "- a\n\n  and\n\n    - $1"],
	["paragraphs with a backtick each", "it`s\n\n$1 it`s"],
	["items with a backtick each", "- it`s\n- $1 it`s"],
	["an element that has no end", "a <code> of $1"],
])("the text of %s is no code", (_, text) => {
	expect(withArguments(text, "x")).toBe(text.replace("$1", "x"));
});
