import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CommandOutput, GrowingFile, type LogPage, PAGE_BYTES } from "../../../src/record/command-output.ts";
import { temporaryHome } from "./fabricate.ts";

function growing(from?: number) {
	const path = join(temporaryHome(), "0001.log");
	const file = new GrowingFile(path, from);
	onTestFinished(() => file.close());
	const rest = () => {
		let text = "";
		for (let read = file.read(); read !== undefined; read = file.read()) text += Buffer.from(read).toString("latin1");
		return text;
	};
	return { path, file, rest };
}

test("a file that does not exist yet is read from its beginning, each byte once", () => {
	const { path, rest } = growing();
	expect(rest()).toBe("");
	writeFileSync(path, "one");
	expect(rest()).toBe("one");
	expect(rest()).toBe("");
	appendFileSync(path, `two${"x".repeat(200_000)}`);
	expect(rest()).toBe(`two${"x".repeat(200_000)}`);
});

test("reading may begin in the middle, and may leave out all but the end", () => {
	const { path, file, rest } = growing(3);
	expect([file.unread, file.skip(10)]).toEqual([0, 0]);
	writeFileSync(path, `abc${"x".repeat(100)}end`);
	expect([file.unread, file.skip(200), file.skip(3)]).toEqual([103, 0, 100]);
	expect(rest()).toBe("end");
});

// Seen to fail (the new file was begun at the old one's position, and what was written last to the old one was lost)
// without readAnew.
test("when another file takes its place the old one is read to its end and the new one from its beginning", () => {
	const { path, file, rest } = growing();
	writeFileSync(path, "old ");
	expect(Buffer.from(file.read() ?? "").toString()).toBe("old ");
	appendFileSync(path, "last ");
	renameSync(path, `${path}.1`);
	writeFileSync(path, "new");
	expect(rest()).toBe("last new");
	rmSync(path);
	expect(rest()).toBe("");
	writeFileSync(path, "newest");
	expect(rest()).toBe("newest");
});

test("a file that was emptied begins anew", () => {
	const { path, rest } = growing();
	writeFileSync(path, "a long line");
	rest();
	truncateSync(path, 0);
	expect(rest()).toBe("");
	appendFileSync(path, "anew");
	expect(rest()).toBe("anew");
});

test("a link and a directory in its place are not read", () => {
	const { path, file } = growing();
	writeFileSync(`${path}.secret`, "secret");
	symlinkSync(`${path}.secret`, path);
	expect(() => file.read()).toThrow(/symbolic link/);
	rmSync(path);
	mkdirSync(path);
	expect(() => file.read()).toThrow(/is a directory/);
});

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
