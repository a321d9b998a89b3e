import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAX_FILE_BYTES, readTextFile } from "../../../../src/project/instructions/kept-files.ts";

function directory(): string {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "agentree-text-")));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	mkdirSync(join(made, "in"));
	return made;
}

function read(at: string, name: string, rule = { within: [join(at, "in")] }) {
	return readTextFile(join(at, "in", name), rule);
}

test("a file is its text, its size and a digest of it", () => {
	const at = directory();
	writeFileSync(join(at, "in/a"), "\ufeffone\r\ntwo\n");
	expect(read(at, "a")).toEqual({
		is: "text",
		file: { path: join(at, "in/a"), text: "one\ntwo\n", bytes: 12, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
	});
});

test("what a terminal would obey, or nobody would see, is in no text", () => {
	const at = directory();
	writeFileSync(join(at, "in/a"), "a\u001b[2J\u001b]0;title\u0007b\u202ec\u{e0041}d");
	expect(read(at, "a")).toMatchObject({ file: { text: "abcd" } });
});

test("of a long file the beginning is taken, in whole characters, at once", () => {
	const at = directory();
	writeFileSync(join(at, "in/a"), `x${"é".repeat(MAX_FILE_BYTES)}`);
	truncateSync(join(at, "in/a"), 10 * 1024 ** 3); // the rest is a hole
	const found = read(at, "a");
	const text = `x${"é".repeat((MAX_FILE_BYTES - 2) / 2)}`;
	expect(found).toMatchObject({ is: "text", file: { text, bytes: 10 * 1024 ** 3, isCut: true } });
	expect(found).not.toHaveProperty("file.isDamaged");
});

test("what is no UTF-8 is marked, and what is no text is not taken", () => {
	const at = directory();
	writeFileSync(join(at, "in/a"), Buffer.from([0x61, 0xff, 0x62]));
	expect(read(at, "a")).toMatchObject({ is: "text", file: { text: "a\ufffdb", isDamaged: true } });
	writeFileSync(join(at, "in/b"), "binary\0");
	expect(read(at, "b")).toEqual({ is: "refused", why: "it is not text: it contains NUL bytes" });
});

test("nobody waits for a FIFO, and nothing is read but a regular file", () => {
	const at = directory();
	execFileSync("mkfifo", [join(at, "in/fifo")]);
	expect(read(at, "fifo")).toEqual({ is: "refused", why: "it is not a regular file" });
	symlinkSync("/dev/zero", join(at, "in/zero"));
	expect(read(at, "zero")).toEqual({ is: "refused", why: "it is not a regular file" });
	mkdirSync(join(at, "in/dir"));
	expect(read(at, "dir")).toEqual({ is: "refused", why: "it is a directory" });
	symlinkSync("loop", join(at, "in/loop"));
	expect(read(at, "loop")).toEqual({ is: "refused", why: "ELOOP" });
});

test("a link inside is followed, one that leads out is not", () => {
	const at = directory();
	writeFileSync(join(at, "secret"), "secret");
	writeFileSync(join(at, "in/a"), "a");
	symlinkSync("a", join(at, "in/link"));
	symlinkSync("../secret", join(at, "in/out"));
	symlinkSync("..", join(at, "in/up"));
	mkdirSync(join(at, "in-other"));
	writeFileSync(join(at, "in-other/x"), "x");
	symlinkSync("../in-other/x", join(at, "in/sibling"));
	expect(read(at, "link")).toMatchObject({ is: "text", file: { path: join(at, "in/link"), text: "a" } });
	expect(read(at, "out")).toEqual({ is: "refused", why: `it is a link that leads to ${join(at, "secret")}` });
	expect(read(at, "up/secret")).toMatchObject({ is: "refused" });
	expect(read(at, "sibling")).toMatchObject({ is: "refused" });
	expect(read(at, "none")).toEqual({ is: "missing" });
	expect(read(at, "a/none")).toEqual({ is: "missing" });
});

test("a file of the user's own may be a link to anywhere, but belongs to the user", () => {
	const at = directory();
	writeFileSync(join(at, "kept-elsewhere"), "mine");
	symlinkSync("../kept-elsewhere", join(at, "in/mine"));
	const uid = process.getuid?.() ?? 0;
	expect(readTextFile(join(at, "in/mine"), { owner: uid })).toMatchObject({ is: "text" });
	if (uid !== 0) return;
	execFileSync("chown", ["4242", join(at, "kept-elsewhere")]);
	expect(readTextFile(join(at, "in/mine"), { owner: uid })).toEqual({
		is: "refused",
		why: "it belongs to user 4242, not to you (0)",
	});
});
