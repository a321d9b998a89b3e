/** What a command, or whoever made a run's directory, may put in place of its files: nothing is written elsewhere, and nobody waits. */
import { execFileSync } from "node:child_process";
import {
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../src/core/schemas/transcript.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { readAgentFile, readRunFile } from "../../../src/record/read-run.ts";
import { agentsOnDisk } from "../../../src/record/repair.ts";
import { readRunLock } from "../../../src/record/run-lock.ts";
import { createRun, type RunWriter, reopenRun } from "../../../src/record/run-writer.ts";
import { writeShims } from "../../../src/supervisor/processes/shims.ts";
import { agentFile, runFile, runStarted, T0, temporaryHome } from "../../unit/record/fabricate.ts";

interface Trap {
	readonly run: RunWriter;
	readonly directory: string;
	/** A file and a directory of somebody, which have to stay as they are. */
	readonly file: string;
	readonly elsewhere: string;
}

function trap(): Trap {
	const home = temporaryHome();
	const run = createRun(home, runFile());
	run.append(runStarted());
	run.addAgent(agentFile());
	const elsewhere = mkdtempSync(join(home, "elsewhere-"));
	writeFileSync(join(elsewhere, "kept"), "kept");
	return { run, directory: run.directory, file: join(elsewhere, "kept"), elsewhere };
}

const NODE = { nodeProgram: "/bin/node", agentProgram: "/x/agent.js", hasExtraCertificates: false };

function put(path: string, make: () => void): void {
	rmSync(path, { recursive: true, force: true });
	make();
}

const fifo = (path: string) => execFileSync("mkfifo", [path]);
const note: TranscriptEntry = { role: "user", content: [], at: T0 };
const ended: RunEvent = { event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } };

const KINDS: [string, (path: string, trap: Trap) => void, string][] = [
	["a link", (path, { file }) => symlinkSync(file, path), "it is a symbolic link; move it away"],
	["a link to nowhere", (path, { elsewhere }) => symlinkSync(join(elsewhere, "new"), path), "it is a symbolic link"],
	["a hard link", (path, { file }) => linkSync(file, path), "it has another name (a hard link); move it away"],
	["a FIFO", (path) => fifo(path), "it is not a regular file; move it away"],
	["a directory", (path) => mkdirSync(path), "a directory is in its place (EISDIR); move it away"],
];

// Seen to fail: the message went through the link, and a FIFO held the supervisor forever.
test.each(KINDS)("no message is written to %s in place of a transcript", (_, make, why) => {
	const at = trap();
	const path = join(at.directory, "1", "transcript.jsonl");
	put(path, () => make(path, at));
	expect(() => at.run.record("1", note)).toThrow(
		expect.objectContaining({ code: "not_writable", message: expect.stringContaining(`cannot write ${path}: ${why}`) }),
	);
	at.run.close();
	expect([readFileSync(at.file, "utf8"), readdirSync(at.elsewhere)]).toEqual(["kept", ["kept"]]);
});

test.each(KINDS)("no event is written to %s in place of the event log of a run that goes on", (_, make, why) => {
	const at = trap();
	at.run.close();
	const path = join(at.directory, "events.jsonl");
	put(path, () => make(path, at));
	expect(() => reopenRun(at.directory)).toThrow(`cannot write ${path}: ${why}`);
	expect([readFileSync(at.file, "utf8"), readdirSync(at.elsewhere)]).toEqual(["kept", ["kept"]]);
});

// Seen to fail: run.json.new was written through the link, and the directory in its place ended the run.
test.each([
	...KINDS.slice(0, 4),
	["a full directory", (path: string) => mkdirSync(join(path, "x"), { recursive: true }), ""] as const,
])("%s in place of a small file, or of the new one beside it, is replaced and not written to", (_, make) => {
	const at = trap();
	for (const name of ["run.json", "1/agent.json", "run.json.new", "1/agent.json.new"]) {
		const path = join(at.directory, name);
		put(path, () => make(path, at));
	}
	at.run.writeRun(runFile({ endedAt: T0 }));
	at.run.writeAgent(agentFile({ endedAt: T0 }));
	at.run.close();
	expect([readRunFile(at.directory).endedAt, readAgentFile(at.directory, "1").endedAt]).toEqual([T0, T0]);
	expect([readFileSync(at.file, "utf8"), readdirSync(at.elsewhere)]).toEqual(["kept", ["kept"]]);
});

test("nothing is written below a link in place of an agent's directory, or of a directory above it", () => {
	// Seen to fail: transcript, agent.json and the directories of children were made behind the link.
	const at = trap();
	const { run, directory, elsewhere } = at;
	run.addAgent(agentFile({ agent: "1.2" }));
	const link = (name: string) => {
		renameSync(join(directory, name), join(directory, `moved-${name.replace("/", "-")}`));
		symlinkSync(elsewhere, join(directory, name));
	};
	const why = (name: string) => `cannot write ${join(directory, name)}: it is a symbolic link; move it away`;
	link("1/2");
	expect(() => run.record("1.2", note)).toThrow(why("1/2"));
	expect(() => run.writeAgent(agentFile({ agent: "1.2" }))).toThrow(why("1/2"));
	expect(() => run.addAgent(agentFile({ agent: "1.2.1" }))).toThrow(why("1/2"));
	link("1");
	expect(() => run.record("1.2", note)).toThrow(why("1"));
	expect(() => run.addAgent(agentFile({ agent: "1.3" }))).toThrow(why("1"));
	symlinkSync(elsewhere, join(directory, "bin"));
	expect(() => writeShims(directory, NODE)).toThrow(why("bin"));
	run.close();
	expect(readdirSync(elsewhere)).toEqual(["kept"]);
});

test.each(["a directory with words of its own", "a link"])(
	"a new agent begins with nothing of %s in its place",
	(what) => {
		// Seen to fail: what a command had put there were the first lines of the transcript.
		const { run, directory, elsewhere } = trap();
		const place = join(directory, "1", "1");
		if (what === "a link") symlinkSync(elsewhere, place);
		else mkdirSync(place);
		if (what !== "a link") writeFileSync(join(place, "transcript.jsonl"), `${JSON.stringify(note)}\n`);
		run.addAgent(agentFile({ agent: "1.1" }), true);
		run.close();
		expect(readFileSync(join(place, "transcript.jsonl"), "utf8")).toBe("");
		expect(readdirSync(elsewhere)).toEqual(["kept"]);
		expect(readdirSync(join(directory, "1")).filter((name) => name.startsWith("1.moved-"))).toHaveLength(1);
	},
);

test("shims are replaced where links stand in their place", () => {
	const at = trap();
	const bin = writeShims(at.directory, NODE);
	for (const name of ["agent", "package.json"]) put(join(bin, name), () => symlinkSync(at.file, join(bin, name)));
	writeShims(at.directory, NODE);
	expect(readFileSync(join(bin, "agent"), "utf8")).toContain("/x/agent.js");
	expect(readFileSync(at.file, "utf8")).toBe("kept");
	at.run.close();
});

test("the end of a run meets anything in place of its lock and its reserve", () => {
	// Seen to fail: a directory there was a bug (ERR_FS_EISDIR), and a FIFO as a lock held every reader.
	const { run, directory } = trap();
	put(join(directory, ".reserve"), () => mkdirSync(join(directory, ".reserve", "x"), { recursive: true }));
	fifo(join(directory, ".lock.3"));
	expect(readRunLock(directory)?.owner).toBeUndefined();
	run.append(ended);
	run.close();
	expect(readEvents(directory)).toEqual({ values: [runStarted(), ended], damage: [] });
});

test("links and FIFOs in place of files are damage for a reader, never what they lead to", () => {
	const { run, directory, elsewhere } = trap();
	run.close();
	writeFileSync(join(elsewhere, "events.jsonl"), `${JSON.stringify(ended)}\n`);
	const path = join(directory, "events.jsonl");
	put(path, () => symlinkSync(join(elsewhere, "events.jsonl"), path));
	expect(readEvents(directory)).toEqual({ values: [], damage: [`cannot read ${path}: it is a symbolic link`] });
	put(path, () => fifo(path));
	expect(readEvents(directory)).toEqual({ values: [], damage: [`cannot read ${path}: it is not a regular file`] });
	truncateSync(join(directory, "run.json"), 3 * 1024 ** 3);
	expect(() => readRunFile(directory)).toThrow("run.json: it has more than 64 MiB");
});

test("a link that leads up again makes no endless tree of agents", () => {
	// Seen to fail: each level was read again through the link, until the path was too long.
	const { run, directory } = trap();
	run.close();
	symlinkSync("..", join(directory, "1", "1"));
	symlinkSync(".", join(directory, "1", "2"));
	mkdirSync(join(directory, "1", "3"));
	expect(agentsOnDisk(directory, "1")).toEqual(["1", "1.3"]);
});
