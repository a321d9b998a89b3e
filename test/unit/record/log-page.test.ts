import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CommandOutput, type LogPage, PAGE_BYTES } from "../../../src/record/command-output.ts";

function logOf(text: string | Buffer) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-log-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = join(directory, "0001.log");
	writeFileSync(path, text);
	const output = new CommandOutput(path);
	return {
		append: (more: string | Buffer) => appendFileSync(path, more),
		truncate: (bytes: number) => truncateSync(path, bytes),
		read: (pages: (last: number) => readonly number[], knownBytes?: number) => output.pages({ pages, knownBytes }),
		all: () => output.pages({ pages: (last) => Array.from({ length: last + 1 }, (_, page) => page) }),
	};
}

const lines = (count: number) =>
	Array.from({ length: count }, (_, at) => `line ${at} ${"x".repeat(at % 90)}\n`).join("");
const textOf = (pages: readonly LogPage[]) => pages.map(({ text }) => text).join("");

test("the pages together are the file, each ends behind a line, and any can be read alone", () => {
	const text = lines(20_000);
	const log = logOf(text);
	const { pages, last, bytes } = log.all() ?? { pages: [], last: 0, bytes: 0 };
	expect([textOf(pages), bytes, last]).toEqual([text, text.length, Math.ceil(text.length / PAGE_BYTES) - 1]);
	for (const { page, text: own, isWhole } of pages) {
		expect([own.endsWith("\n"), isWhole]).toEqual([true, page < last]);
		expect(log.read(() => [page])?.pages).toEqual([pages[page]]);
	}
	expect(log.read((newest) => [newest])?.pages[0]?.page).toBe(last);
	expect(log.read(() => [last + 1])?.pages).toEqual([]);
});

test("a file that has not grown is not read, and one that is not there is nothing", () => {
	const log = logOf("abc\n");
	expect(log.read(() => [0], 4)).toBeUndefined();
	expect(log.read(() => [0], 3)?.pages).toEqual([{ page: 0, text: "abc\n", isWhole: false }]);
	expect(new CommandOutput("/nowhere").pages({ pages: () => [0] })).toBeUndefined();
});

test.each(["\n", "\n".repeat(3), "é\n", "漢字", "long ".repeat(3_000), "x".repeat(100_000), "🌳".repeat(7_000)])(
	"what stands in a page stays there however the file grows by %j",
	(piece) => {
		const log = logOf("");
		let before: readonly LogPage[] = [];
		let whole = "";
		const size = Buffer.byteLength(piece);
		const step = Math.max(1, Math.floor(40_000 / size));
		while (Buffer.byteLength(whole) < 3 * PAGE_BYTES) {
			const more = piece.repeat(step);
			whole += more;
			log.append(more);
			const { pages = [] } = log.all() ?? {};
			expect(textOf(pages)).toBe(whole);
			for (const page of before) {
				const now = pages[page.page];
				if (page.isWhole) expect(now).toEqual(page);
				else expect(now?.text.startsWith(page.text)).toBe(true);
			}
			before = pages;
		}
		expect(before.length).toBeGreaterThan(1);
	},
);

test("a character that is written in two is whole in the end, wherever a page ends", () => {
	const log = logOf("");
	const text = Buffer.from("🌳".repeat(40_000));
	for (let at = 0; at < text.length; at += 9_999) {
		log.append(text.subarray(at, at + 9_999));
		const { pages = [] } = log.all() ?? {};
		for (const { text: own, isWhole } of pages) if (isWhole) expect(own).not.toContain("\ufffd");
	}
	expect(textOf(log.all()?.pages ?? [])).toBe(text.toString());
});
