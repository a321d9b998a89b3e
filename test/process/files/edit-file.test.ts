/** `agent edit` and `agent write`: whole program, on real files. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

function block(old: string, now: string): string {
	return `<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE\n`;
}

function workTree(): string {
	const work = join(realpathSync(temporaryHome()), "work");
	mkdirSync(work);
	return work;
}

test("edit prints the difference; mode, links, line ends and encoding stay, and nothing is left beside the file", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "run.sh"), Buffer.from("#!/bin/sh\r\necho gr\u00fcn\r\n", "latin1"));
	chmodSync(join(cwd, "run.sh"), 0o754);
	symlinkSync("run.sh", join(cwd, "link"));
	const end = await runProgram(["edit", "link"], { cwd, stdin: block("#!/bin/sh", "#!/bin/bash\nset -e") });
	expect(end).toMatchObject({ exit: 0, stderr: "" });
	expect(end.stdout.split("\n").slice(0, 6)).toEqual([
		...["--- link", "+++ link", "@@ -1,2 +1,3 @@", "-#!/bin/sh", "+#!/bin/bash", "+set -e"],
	]);
	expect(readFileSync(join(cwd, "run.sh"), "latin1")).toBe("#!/bin/bash\r\nset -e\r\necho gr\u00fcn\r\n");
	expect(statSync(join(cwd, "run.sh")).mode & 0o777).toBe(0o754);
	expect(lstatSync(join(cwd, "link")).isSymbolicLink()).toBe(true);
	expect(readdirSync(cwd).sort()).toEqual(["link", "run.sh"]);
});

test("a file with two names has the new content under both", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a"), "a much longer text\n");
	linkSync(join(cwd, "a"), join(cwd, "b"));
	expect(await runProgram(["edit", "b"], { cwd, stdin: block("a much longer text", "new") })).toMatchObject({
		exit: 0,
	});
	expect([readFileSync(join(cwd, "a"), "utf8"), statSync(join(cwd, "a")).nlink]).toEqual(["new\n", 2]);
});

test("when one of several blocks is not found nothing is changed, and the nearest place is named", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a.ts"), "one\ntwo\n\tthree\n");
	const end = await runProgram(["edit", "a.ts"], { cwd, stdin: `${block("one", "1")}${block("two\n  three", "x")}` });
	expect(end).toMatchObject({ exit: 1, stdout: "" });
	expect(end.stderr.split("\n")).toEqual([
		"agent: a.ts: in the block of line 6 of stdin, its old text is not in the file; the closest match is at line 2 and differs at line 3:",
		'  the file has  "\\tthree"',
		'  you gave      "  three"',
		"agent: nothing was changed",
		"",
	]);
	expect(readFileSync(join(cwd, "a.ts"), "utf8")).toBe("one\ntwo\n\tthree\n");
});

test.each([
	["edit", "no-such", /no such file; create it with agent write/, 1],
	["edit", ".", /it is a directory/, 2],
	["write", ".", /it is a directory/, 2],
	["edit", "binary", /it is not text/, 2],
	["write", "file/below", /part of the path is a file/, 2],
])("agent %s %s is refused", async (word, name, why, exit) => {
	const cwd = workTree();
	writeFileSync(join(cwd, "binary"), Buffer.from([0, 1, 2]));
	writeFileSync(join(cwd, "file"), "a\n");
	const end = await runProgram([word, name], { cwd, stdin: block("a", "b") });
	expect(end.stderr).toMatch(why);
	expect(end).toMatchObject({ exit, stdout: "" });
	expect(readdirSync(cwd).sort()).toEqual(["binary", "file"]);
});

// Seen to fail without the second look: the last one to write took the others' lines away.
test.each<[string, (n: number) => string]>([
	["one file", () => "all"],
	["a file by its many names", (n) => (n === 0 ? "all" : `all${n}`)],
])("edits of %s at the same time are all in it", async (_, files) => {
	const cwd = workTree();
	const names = Array.from({ length: 8 }, (_, index) => `line ${index}`);
	writeFileSync(join(cwd, "all"), `${names.join("\n")}\n`);
	for (const [n] of names.entries()) if (files(n) !== "all") linkSync(join(cwd, "all"), join(cwd, files(n)));
	const ends = await Promise.all(
		names.map((name, n) => runProgram(["edit", files(n)], { cwd, stdin: block(name, `${name} done`) })),
	);
	expect(ends.map(({ exit }) => exit)).toEqual(names.map(() => 0));
	expect(readFileSync(join(cwd, "all"), "utf8")).toBe(`${names.map((name) => `${name} done`).join("\n")}\n`);
});

/** Beside the file, while it is being changed. */
function lockOf(path: string): string {
	return join(dirname(path), `.agentree-${createHash("sha256").update(path).digest("hex").slice(0, 16)}.lock`);
}

test("an edit waits for another one, and one that was killed holds up nobody for long", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a"), "old\n");
	const lock = lockOf(join(cwd, "a"));
	writeFileSync(lock, "");
	const ahead = new Date(Date.now() + 3_600_000); // an edit that is under way
	utimesSync(lock, ahead, ahead);
	let isOver = false;
	const end = runProgram(["edit", "a"], { cwd, stdin: block("old", "new") }).finally(() => {
		isOver = true;
	});
	await runProgram(["write", "b"], { cwd, stdin: "b" }); // which takes as long
	expect([isOver, readFileSync(join(cwd, "a"), "utf8")]).toEqual([false, "old\n"]);
	utimesSync(lock, 0, 0);
	expect(await end).toMatchObject({ exit: 0 });
	expect([readFileSync(join(cwd, "a"), "utf8"), existsSync(lock)]).toEqual(["new\n", false]);
});

// Seen to leave the lock without the handlers.
test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("an edit that %s ends leaves no file behind", async (signal) => {
	const cwd = workTree();
	const text = `old\n${`${"x".repeat(60)}\n`.repeat(200_000)}`;
	writeFileSync(join(cwd, "a"), text);
	const edit = startProgram(["edit", "a"], { cwd, stdin: block("old", "new") });
	await vi.waitFor(() => expect(readdirSync(cwd).length).toBeGreaterThan(1), { interval: 1, timeout: 10_000 });
	edit.kill(signal);
	expect(await edit.ended).toMatchObject({ signal });
	expect(readdirSync(cwd)).toEqual(["a"]);
	expect([text, text.replace("old", "new")]).toContain(readFileSync(join(cwd, "a"), "utf8"));
});

test("write makes a file with its directories, and replaces one whole, with its mode and line ends", async () => {
	const cwd = workTree();
	const made = await runProgram(["write", "src/new/a.ts"], { cwd, stdin: "one\ntwo\n" });
	expect(made).toMatchObject({ exit: 0, stdout: "created src/new/a.ts (2 lines)\n", stderr: "" });
	writeFileSync(join(cwd, "b"), "one\r\ntwo\r\n", { mode: 0o600 });
	const replaced = await runProgram(["write", "b"], { cwd, stdin: "three\n" });
	expect(replaced.stdout).toContain("-two\n+three\n");
	expect(readFileSync(join(cwd, "b"), "utf8")).toBe("three\r\n");
	expect(statSync(join(cwd, "b")).mode & 0o777).toBe(0o600);
});

test("an agent edits by a command of its bash", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a"), "old\n");
	const task = `agent edit a <<'END'\n${block("old", "new")}END`;
	const end = await runProgram(["run", "--model", "shell", task], { cwd });
	expect(end).toMatchObject({ exit: 0, stdout: expect.stringContaining("-old\n+new\n") });
	expect(readFileSync(join(cwd, "a"), "utf8")).toBe("new\n");
});

test("where the disk does not take a file with two names, its old content is there still", async () => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a"), "old\n");
	linkSync(join(cwd, "a"), join(cwd, "b"));
	const agent = fileURLToPath(new URL("../../../bin/agent.js", import.meta.url));
	const script = 'ulimit -f 1; exec "$@"'; // no file may become longer than a KiB
	const { status, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, agent, "write", "a"], {
		...{ cwd, input: "new\n".repeat(1_000), encoding: "utf8" },
		env: { PATH: process.env.PATH ?? "", HOME: cwd, AGENTREE_HOME: join(cwd, "..", "state") },
	});
	expect({ status, stderr, content: readFileSync(join(cwd, "b"), "utf8") }).toEqual({
		...{ status: 2, stderr: expect.stringContaining("EFBIG"), content: "old\n" },
	});
});

test("a link that leads to nothing is said to be one", async () => {
	const cwd = workTree();
	symlinkSync("nowhere", join(cwd, "link"));
	const end = await runProgram(["write", "link"], { cwd, stdin: "x\n" });
	expect(end).toMatchObject({ exit: 2, stderr: "agent: link: it is a broken link\n" });
});

const FILES: Readonly<Record<string, { before: string; given: string; after: string }>> = {
	"a return in a line, as of a progress bar,": { before: "1%\r2%\ndone\n", given: "3%\r4%\nx\n", after: "3%\r4%\nx\n" },
	"the same among line ends of two characters": { before: "a\r\n", given: "3%\r4%\nx\n", after: "3%\r4%\r\nx\r\n" },
	"a file whose lines end in a return": { before: "a\rb\r", given: "x\ny\n", after: "x\ry\r" },
	"a mark that is given once more": { before: "\ufeffa\n", given: "\ufeffx\n", after: "\ufeffx\n" },
};

// Seen to fail: each return was a line end, and became that of the file, or made all others returns.
test.each(Object.entries(FILES))(
	"%s stays what it is when the file is written",
	async (_, { before, given, after }) => {
		const cwd = workTree();
		writeFileSync(join(cwd, "a"), before);
		expect(await runProgram(["write", "a"], { cwd, stdin: given })).toMatchObject({ exit: 0, stderr: "" });
		expect(readFileSync(join(cwd, "a"), "utf8")).toBe(after);
	},
);

test.each(["edit", "write"])("agent %s without a text on stdin changes nothing", async (word) => {
	const cwd = workTree();
	writeFileSync(join(cwd, "a"), "a\n");
	for (const stdin of [undefined, Buffer.from([0xff]), "x".repeat(64 * 1024 * 1024 + 1)])
		expect(await runProgram([word, "a"], { cwd, ...(stdin !== undefined && { stdin }) })).toMatchObject({
			...{ exit: 2, stdout: "", stderr: expect.stringMatching(/nor a pipe: pass|not UTF-8|more than 64 MiB/) },
		});
	expect(readFileSync(join(cwd, "a"), "utf8")).toBe("a\n");
});

test("a new file that the disk does not take is not there, nor anything beside it", async () => {
	const cwd = workTree();
	const agent = fileURLToPath(new URL("../../../bin/agent.js", import.meta.url));
	const script = 'ulimit -f 1; exec "$@"'; // no file may become longer than a KiB
	const { status } = spawnSync("bash", ["-c", script, "bash", process.execPath, agent, "write", "new"], {
		...{ cwd, input: "new\n".repeat(1_000), encoding: "utf8" },
		env: { PATH: process.env.PATH ?? "", HOME: cwd, AGENTREE_HOME: join(cwd, "..", "state") },
	});
	expect({ status, left: readdirSync(cwd) }).toEqual({ status: 2, left: [] });
});

test("a file whose name is as long as one can be is made and changed", async () => {
	const cwd = workTree();
	const name = "字".repeat(85); // 255 bytes
	expect(await runProgram(["write", name], { cwd, stdin: "old\n" })).toMatchObject({ exit: 0 });
	expect(await runProgram(["edit", name], { cwd, stdin: block("old", "new") })).toMatchObject({ exit: 0 });
	expect(readFileSync(join(cwd, name), "utf8")).toBe("new\n");
	expect(await runProgram(["write", `${name}x`], { cwd, stdin: "x" })).toMatchObject({ exit: 2 });
	expect(await runProgram(["write", "sub/"], { cwd, stdin: "x" })).toMatchObject({ exit: 2 });
	expect(readdirSync(cwd)).toEqual([name]);
});

// Seen to fail: the bytes of UTF-8 were written among those of the other encoding.
test("text that is put into a file is in its encoding, or is refused, and nothing is changed", async () => {
	const cwd = workTree();
	const bytes = (name: string) => readFileSync(join(cwd, name));
	const before = {
		latin1: Buffer.from("gr\u00fcn\r\nx\r\n", "latin1"),
		utf16: Buffer.from("\ufeffgr\u00fcn\r\nx\r\n", "utf16le"),
		japanese: Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]),
	};
	for (const [name, content] of Object.entries(before)) writeFileSync(join(cwd, name), content);
	const refusals = [
		await runProgram(["edit", "latin1"], { cwd, stdin: block("x", "bl\u00e4ulich") }),
		await runProgram(["write", "latin1"], { cwd, stdin: "5 \u20ac\n" }),
		await runProgram(["write", "utf16"], { cwd, stdin: "x\n" }),
		await runProgram(["edit", "japanese"], { cwd, stdin: `${block("a", "b")}${block("\u65e5", "x")}` }),
	];
	expect(refusals.map(({ stdout }) => stdout)).toEqual(refusals.map(() => ""));
	expect(refusals.every(({ exit }) => exit !== 0)).toBe(true);
	expect(refusals.map(({ stderr }) => stderr)).toEqual([
		expect.stringMatching(
			/^agent: latin1: it is not UTF-8, first at line 1: "\u00e4" cannot be written to it, only ASCII.*\nagent: nothing was changed\n$/,
		),
		expect.stringMatching(/^agent: latin1: it is not UTF-8, first at line 1: "\u20ac" cannot/),
		expect.stringMatching(/^agent: utf16: it is UTF-16/),
		expect.stringMatching(/^agent: japanese: in the block of line 6 of stdin, it is not UTF-8/),
	]);
	expect(Object.fromEntries(Object.keys(before).map((name) => [name, bytes(name)]))).toEqual(before);
	const end = await runProgram(["edit", "latin1"], { cwd, stdin: block("x", "red\nblue") });
	expect(end).toMatchObject({ exit: 0, stderr: "", stdout: expect.stringContaining("-x\n+red\n+blue\n") });
	expect(bytes("latin1")).toEqual(Buffer.from("gr\u00fcn\r\nred\r\nblue\r\n", "latin1"));
});
