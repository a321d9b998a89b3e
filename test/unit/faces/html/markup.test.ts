import { beforeEach, expect, test, vi } from "vitest";

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
