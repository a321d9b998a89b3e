import { beforeEach, expect, test, vi } from "vitest";
import { cutText, roomFor } from "../../../../src/faces/html/markup.ts";

let { html } = await import("../../../../src/faces/html/markup.ts");
let { keepSecrets } = await import("../../../../src/text/safe/keep-secrets.ts");

beforeEach(async () => {
	vi.resetModules(); // secrets are kept for as long as a process lives
	({ html } = await import("../../../../src/faces/html/markup.ts"));
	({ keepSecrets } = await import("../../../../src/text/safe/keep-secrets.ts"));
});

test("a value is text, whatever stands in it, also in an attribute", () => {
	const hostile = `</pre><script>alert('1')</script>" onload="x" \`&amp;`;
	expect(html`<a title="${hostile}">${hostile}</a>`.text).toBe(`<a title="${ESCAPED}">${ESCAPED}</a>`);
});
const ESCAPED =
	"&#60;/pre&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#34; onload=&#34;x&#34; &#96;&#38;amp;";

test("what a template made stays as it is, also in lists; nothing is written for what is not there", () => {
	const items = ["<a>", 2].map((item) => html`<li>${item}</li>`);
	expect(html`<ul>${items}${undefined}</ul>`.text).toBe("<ul><li>&#60;a&#62;</li><li>2</li></ul>");
});

test("what would be obeyed or hidden is visible, and keys are redacted before they are escaped", () => {
	keepSecrets(["sk-<secret>&1"]);
	expect(html`${"\u001b[2J \u202e key sk-<secret>&1"}`.text).toBe("␛[2J ⟨U+202E⟩ key [redacted]");
});

test("a text that is little longer than its room is whole", () => {
	expect(cutText("x".repeat(6_500)).text).toBe("x".repeat(6_500));
});

test("of a longer one there is the beginning and the end, and how much is left out of how much", () => {
	const { text } = cutText(`${"a".repeat(5_000)}<${"b".repeat(5_000)}`);
	expect(text).toBe(
		`${"a".repeat(4_000)}\n<i class="cut">… 4001 of 10001 characters omitted …</i>\n${"b".repeat(2_000)}`,
	);
	expect(cutText("c".repeat(20_000), 4).text).toBe("c".repeat(20_000));
});

test("a cut splits no character, and goes where a line ends", () => {
	const lines = `${"line\n".repeat(790)}${"long".repeat(1_000)}\n${"line\n".repeat(390)}`;
	const { text } = cutText(lines);
	expect(text).toBe(
		`${"line\n".repeat(790).trimEnd()}\n<i class="cut">… 4002 of 9901 characters omitted …</i>\n${"line\n".repeat(390)}`,
	);
	expect(cutText("😀".repeat(6_000)).text).not.toContain("\ufffd");
});

test("texts on the page of a large run have less room, so that it can be opened, but always some", () => {
	const MB = 1024 * 1024;
	expect([0, 1, 32 * MB, 64 * MB, 512 * MB, 9e12].map(roomFor)).toEqual([1, 1, 1, 0.5, 0.0625, 0.05]);
});
