import { execFileSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCommandLog } from "../../../../src/agent/bash/command-log.ts";

function logIn(directory: string) {
	const log = openCommandLog(directory, "out/0001.log", { maxBytes: 100 });
	log.write(Buffer.from("text"));
	log.close();
	return log.failure;
}

// Seen to fail: a log was written through a link, over a file of the user, and a FIFO cost the log.
test.each([
	["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
	["a link to another file", (path: string) => symlinkSync("../other", path)],
	["a link to nothing", (path: string) => symlinkSync("../none", path)],
	["a longer file", (path: string) => writeFileSync(path, "planted for the next command", { mode: 0o644 })],
])("%s that a command has put where the next log will be makes way for it", (_, plant) => {
	const directory = temporaryDirectory();
	mkdirSync(join(directory, "out"));
	writeFileSync(join(directory, "other"), "kept");
	plant(join(directory, "out/0001.log"));
	expect(logIn(directory)).toBeUndefined();
	expect(readFileSync(join(directory, "out/0001.log"), "utf8")).toBe("text");
	expect(statSync(join(directory, "out/0001.log")).mode & 0o777).toBe(0o600);
	expect(readFileSync(join(directory, "other"), "utf8")).toBe("kept");
	expect(readdirSync(directory)).toEqual(["other", "out"]);
});

test("a directory in place of the log, or a link in place of the directory, costs the log and nothing else", () => {
	const directory = temporaryDirectory();
	mkdirSync(join(directory, "out/0001.log"), { recursive: true });
	expect(logIn(directory)).toMatch(/^(EISDIR|EPERM)$/);
	const [linked, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
	symlinkSync(elsewhere, join(linked, "out"));
	expect(logIn(linked)).toMatch(/^(ELOOP|ENOTDIR)$/);
	expect(readdirSync(elsewhere)).toEqual([]);
});

function temporaryDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-log-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}
