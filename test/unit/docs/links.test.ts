/** Links of the pages to one another lead to a file, and to a heading in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const PAGES = [
	...["README.md", "CONTRIBUTING.md"],
	...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** As GitHub names them. */
function anchorsOf(page: string): string[] {
	const titles = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
	return titles.map((title) =>
		title
			.toLowerCase()
			.replace(/[^\p{L}\p{N}_ -]/gu, "")
			.replaceAll(" ", "-"),
	);
}

function brokenIn(page: string): string[] {
	const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) =>
		/^https?:/.test(link) ? [] : [link],
	);
	return links.flatMap((link) => {
		const [file = "", anchor] = link.split("#");
		const to = file === "" ? page : join(dirname(page), file);
		const isThere = existsSync(join(ROOT, to)) && (anchor === undefined || anchorsOf(to).includes(anchor));
		return isThere ? [] : [`${page}: ${link}`];
	});
}

test("every link between pages leads to a file and a heading", () => {
	// Seen to fail with `sandbox.md#networks`.
	expect(PAGES.flatMap(brokenIn)).toEqual([]);
});
