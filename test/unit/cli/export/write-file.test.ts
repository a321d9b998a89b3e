import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeFile } from "../../../../src/cli/export/write-file.ts";
import { temporaryHome } from "../../record/fabricate.ts";

const mode = (path: string) => statSync(path).mode & 0o777;

test("a file is written for its owner alone, and nothing is left beside it", async () => {
	const directory = temporaryHome();
	const path = join(directory, "a.html");
	expect(await writeFile(path, ["ä", "b".repeat(600_000)], false)).toBe(600_002);
	expect(readFileSync(path, "utf8")).toBe(`ä${"b".repeat(600_000)}`);
	expect(mode(path)).toBe(0o600);
	expect(readdirSync(directory)).toEqual(["a.html"]);
});

test("a file that exists stays as it is unless it may be replaced", async () => {
	const path = join(temporaryHome(), "a.html");
	writeFileSync(path, "mine");
	chmodSync(path, 0o644);
	await expect(writeFile(path, ["new"], false)).rejects.toThrow(
		`cannot write ${path}: it already exists; to overwrite: --force`,
	);
	expect(readFileSync(path, "utf8")).toBe("mine");
	expect(await writeFile(path, ["new"], true)).toBe(3);
	expect([readFileSync(path, "utf8"), mode(path)]).toEqual(["new", 0o600]);
});

test("a file that comes into being meanwhile is not replaced", async () => {
	const directory = temporaryHome();
	const path = join(directory, "a.html");
	function* pieces() {
		yield "a";
		writeFileSync(path, "theirs");
		yield "b";
	}
	await expect(writeFile(path, pieces(), false)).rejects.toThrow("it already exists; to overwrite: --force");
	expect(readFileSync(path, "utf8")).toBe("theirs");
	expect(readdirSync(directory)).toEqual(["a.html"]);
});

test("nothing but a regular file is replaced: no link, no directory, no device", async () => {
	const directory = temporaryHome();
	const target = join(directory, "target");
	writeFileSync(target, "mine");
	symlinkSync(target, join(directory, "link"));
	mkdirSync(join(directory, "folder"));
	for (const path of [join(directory, "link"), join(directory, "folder"), "/dev/null"])
		await expect(writeFile(path, ["new"], true)).rejects.toThrow("it is not a regular file");
	expect(readFileSync(target, "utf8")).toBe("mine");
});

test("when the pieces cannot be made there is no file, and a place that is not there is said", async () => {
	const directory = temporaryHome();
	function* broken() {
		yield "a";
		throw new Error("broken");
	}
	await expect(writeFile(join(directory, "a"), broken(), false)).rejects.toThrow("broken");
	expect(readdirSync(directory)).toEqual([]);
	await expect(writeFile(join(directory, "no/a"), ["a"], false)).rejects.toThrow("no/a: its directory does not exist");
	expect(existsSync(join(directory, "no"))).toBe(false);
});

test("Ctrl-C in the middle leaves nothing behind", async () => {
	const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
		throw new Error(`exit ${code}`);
	});
	onTestFinished(() => exit.mockRestore());
	const directory = temporaryHome();
	function* pieces() {
		yield "a".repeat(600_000);
		expect(readdirSync(directory)).toEqual([expect.stringMatching(/^\.agentree-[0-9a-f]{12}\.tmp$/)]);
		process.emit("SIGINT", "SIGINT");
	}
	await expect(writeFile(join(directory, "a"), pieces(), false)).rejects.toThrow("exit 130");
	expect(readdirSync(directory)).toEqual([]);
	expect(process.listenerCount("SIGINT")).toBe(0);
});
