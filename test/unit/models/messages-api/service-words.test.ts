import { expect, test } from "vitest";
import { messageIn, wordsOf } from "../../../../src/models/messages-api/service-words.ts";
import { cpuMs } from "../../cpu-ms.ts";

test.each<[unknown, string | undefined]>([
	[{ type: "error", error: { type: "t", message: "of the API" } }, "of the API"],
	[{ message: "outer", error: { message: "inner" } }, "inner"],
	[{ error: "in a word" }, "in a word"],
	[{ error: "invalid_client", error_description: "in a sentence" }, "in a sentence"],
	[[{ error: { message: "in a list" } }], "in a list"],
	[{ Message: "as AWS writes it" }, "as AWS writes it"],
	[{ message: " " }, undefined],
	[{ message: { message: { message: { message: { message: { message: "too deep" } } } } } }, undefined],
	[{ a: 1 }, undefined],
	[7, undefined],
])("the message in %j", (json, message) => {
	expect(messageIn(json)).toBe(message);
});

test("of a page only what it shows is told, of anything else the text", () => {
	expect(wordsOf("<html><script>x</script><p>Please&nbsp;log in</p><!-- no").replace(/\s+/g, " ").trim()).toBe(
		"Please log in",
	);
	expect(wordsOf("upstream < connect error")).toBe("upstream < connect error");
	expect(wordsOf("<html></html>")).toBe("<html></html>");
	expect(wordsOf('{"error":{"message":"said"}}')).toBe("said");
});

// Seen to fail (10 s) when a script that is not closed was looked for from each `<script`.
test("a page of unclosed tags takes no long time", () => {
	const readAll = () => {
		for (const tag of ["<script ", "<!--", "<style>", "<p"]) wordsOf(`<html>${tag.repeat(10_000)}`);
	};
	expect(cpuMs(readAll)).toBeLessThan(10_000);
});
