import { expect, test } from "vitest";
import { tooMuchIn } from "../../../../src/supervisor/clients/client.ts";

const LONG = "x".repeat(70_000);

test.each([
	{ title: "a text with all signs in it", value: [LONG, '[{"a":1,":\\"', "\\", `${'[{,:"'.repeat(200_000)}`] },
	{ title: "many values", value: Array.from({ length: 100_000 }, (_, n) => ({ n })) },
])("what an agent may say is let through: $title", ({ value }) => {
	expect(tooMuchIn(Buffer.from(JSON.stringify(value)))).toBeUndefined();
});

test.each([
	{
		title: "levels",
		json: `["${LONG}",${"[".repeat(1_100)}`,
		wrong: "a message that is nested more than 1000 levels deep",
	},
	{ title: "lists", json: `[${"[],".repeat(600_000)}`, wrong: "a message of more than 500000 values" },
	{ title: "numbers", json: `[${"1,".repeat(600_000)}`, wrong: "a message of more than 500000 values" },
])("a long line of too many $title is not parsed", ({ json, wrong }) => {
	expect(tooMuchIn(Buffer.from(json))).toBe(wrong);
});

test("a short line is parsed whatever is in it, and a text without an end is no reason to look for long", () => {
	expect(tooMuchIn(Buffer.from("[".repeat(60_000)))).toBeUndefined();
	expect(tooMuchIn(Buffer.from(`"${"\\".repeat(10_000_001)}"${LONG}`))).toBeUndefined();
});
