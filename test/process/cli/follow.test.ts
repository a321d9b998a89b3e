/** Files are followed while another process makes, tears, mends and removes them. */
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { followLines } from "../../../src/record/files/follow-lines.ts";
import { temporaryHome } from "../../unit/record/fabricate.ts";
import { WAIT } from "../../wait.ts";

test("existing lines are given at once, then each line as it comes, and none before it is whole", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, "one\ntwo\nthr");
	const { lines, until, end } = follow(path);
	await until(["one", "two"]);
	appendFileSync(path, "ee\nfour\nfi");
	await until(["one", "two", "three", "four"]);
	appendFileSync(path, "ve\n");
	await until(["one", "two", "three", "four", "five"]);
	await end();
	expect(lines).toEqual(["one", "two", "three", "four", "five"]);
});

test("a file whose very directory does not exist yet is followed from its first line", async () => {
	const directory = join(temporaryHome(), "1", "2");
	const { until, end } = follow(join(directory, "x.jsonl"), { pollMs: 10 });
	mkdirSync(directory, { recursive: true });
	writeFileSync(join(directory, "x.jsonl"), "first\n");
	await until(["first"]);
	await end();
});

test("changes are noticed without the poll", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	const { until, end } = follow(path, { pollMs: 3_600_000 });
	writeFileSync(path, "first\n");
	await until(["first"]);
	await end();
});

test("a torn line that the writer takes back is never given", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, "one\nto");
	const { until, end } = follow(path);
	await until(["one"]);
	truncateSync(path, 4);
	appendFileSync(path, "two\n");
	await until(["one", "two"]);
	await end();
});

test("lines longer than a read, with characters cut by it, are whole", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	const long = "é日😀".repeat(50_000);
	writeFileSync(path, `${long}\nshort\n${long}\n`);
	const { until, end } = follow(path);
	await until([long, "short", long]);
	await end();
});

test("at the end of following, all lines written until then are given, each once", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, "");
	const { lines, end } = follow(path, { pollMs: 3_600_000 });
	appendFileSync(path, "last\n");
	await end();
	expect(lines).toEqual(["last"]);
});

test("a listener that ends the following during a line is told the rest of the file once", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, `one\n${"x".repeat(200_000)}\nlast\n`);
	const over = new AbortController();
	const lines: string[] = [];
	const onLines = (some: string[]) => {
		lines.push(...some);
		over.abort();
	};
	await followLines(path, onLines, { signal: over.signal });
	expect(lines.map((line) => line.length)).toEqual([3, 200_000, 4]);
});

test("an exception of the listener ends the following", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, "one\n");
	const broken = () => {
		throw new Error("broken pipe");
	};
	await expect(followLines(path, broken, { signal: new AbortController().signal })).rejects.toThrow("broken pipe");
});

test("following can begin in the middle of a file", async () => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, "one\ntwo\n");
	const { until, end } = follow(path, { from: 4 });
	await until(["two"]);
	await end();
});

function follow(path: string, options: { from?: number; pollMs?: number } = {}) {
	const over = new AbortController();
	const lines: string[] = [];
	const following = followLines(path, (some) => lines.push(...some), { signal: over.signal, ...options });
	onTestFinished(() => over.abort());
	return {
		lines,
		until: (expected: string[]) => vi.waitFor(() => expect(lines).toEqual(expected), WAIT),
		end: () => {
			over.abort();
			return following;
		},
	};
}
