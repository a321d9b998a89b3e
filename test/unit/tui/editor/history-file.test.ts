import {
	appendFileSync,
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HistoryFile } from "../../../../src/tui/editor/history-file.ts";

function newHome(): string {
	const home = mkdtempSync(join(tmpdir(), "agentree-history-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	return home;
}

const historyOf = (home: string, directory = "/work") => new HistoryFile(home, directory, () => 1_000);
const files = (home: string) => readdirSync(join(home, "history")).map((name) => join(home, "history", name));

test("what was sent from a directory is there for the next conversation in it, and for no other", () => {
	const home = newHome();
	const history = historyOf(home);
	expect(history.read()).toEqual([]);
	for (const text of ["one", "one", " secret", "two\nlines", "漢字", "x".repeat(100_000)])
		expect(history.append(text)).toBeUndefined();
	expect(historyOf(home).read()).toEqual(["one", "two\nlines", "漢字"]);
	expect(historyOf(home, "/elsewhere").read()).toEqual([]);
	expect(historyOf(home).append("漢字")).toBeUndefined();
	expect(historyOf(home).read().at(-1)).toBe("漢字");
});

test("nobody else can read it, whatever the umask", () => {
	const home = newHome();
	const before = process.umask(0);
	onTestFinished(() => void process.umask(before));
	historyOf(home).append("x");
	expect(statSync(join(home, "history")).mode & 0o777).toBe(0o700);
	expect(files(home).map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
});

test("damage is skipped, and the next message stands on a line of its own", () => {
	const home = newHome();
	historyOf(home).append("one");
	const [file = ""] = files(home);
	appendFileSync(file, '{"text":7}\nnull\n[]\n"x"\n\u0000\n{"text":"tor');
	expect(historyOf(home).read()).toEqual(["one"]);
	historyOf(home).append("two");
	expect(historyOf(home).read()).toEqual(["one", "two"]);
});

test("the file is bounded, and the newest messages stay", () => {
	const home = newHome();
	const history = historyOf(home);
	for (let n = 0; n < 150; n++) history.append(`${n} ${"x".repeat(10_000)}`);
	expect(files(home).map((file) => statSync(file).size < 600_000)).toEqual([true, true]);
	const entries = historyOf(home)
		.read()
		.map((entry) => Number(entry.split(" ")[0]));
	expect(entries.length).toBeGreaterThan(50);
	expect(entries).toEqual(entries.map((_, n) => 150 - entries.length + n));
	expect(readFileSync(files(home)[0] ?? "", "utf8")).toContain('"directory":"/work"');
});

test("what cannot be read or written is said, and no reason to stop", () => {
	const home = newHome();
	mkdirSync(join(home, "history"));
	const history = historyOf(home);
	history.append("one");
	const [file = ""] = files(home);
	rmSync(file);
	symlinkSync("/etc/passwd", file);
	expect(historyOf(home).read()).toEqual([]);
	expect(history.append("two")).toContain("symbolic link");
	rmSync(file);
	mkdirSync(file);
	expect(historyOf(home).read()).toEqual([]);
	expect(history.append("three")).toContain("cannot write");
	chmodSync(home, 0o700);
});

test("two conversations at once lose nothing", () => {
	const home = newHome();
	const [one, other] = [historyOf(home), historyOf(home)];
	for (let n = 0; n < 50; n++) {
		one.append(`one ${n}`);
		other.append(`other ${n}`);
	}
	const entries = historyOf(home).read();
	expect(entries.filter((entry) => entry.startsWith("one"))).toHaveLength(50);
	expect(entries.filter((entry) => entry.startsWith("other"))).toHaveLength(50);
});
