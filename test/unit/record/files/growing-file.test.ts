import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { GrowingFile } from "../../../../src/record/command-output.ts";
import { temporaryHome } from "../fabricate.ts";

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
