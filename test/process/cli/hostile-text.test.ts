/** Whatever agents, services and files say, a terminal shows it as text: what it would obey or hide is gone, or escaped in JSON. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_PROGRAM, runProgram, startLine, startProgram, temporaryHome } from "../program.ts";
import { signalAgent } from "../sandboxed.ts";

const HOSTILE =
	"\u001b[2J\u001b]0;t\u0007\u009b31m\u009d0;x\u009c\u202e\u2066\u200b\u061c\u{e0061}\u007f\b\nagent: FORGED\r\nFORGED\u2028FORGED";
const OBEYED_OR_HIDDEN =
	/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udfff]/;
/** The values that are words of a file's format, or name other files. */
const WORDS = new Set([
	...[
		"event",
		"by",
		"agent",
		"run",
		"log",
		"role",
		"type",
		"note",
		"how",
		"outcome",
		"start_time",
		"id",
		"tool_use_id",
	],
	...["parent", "version", "what", "socket"],
	...["mode", "as", "network"], // of a sandbox
]);

function spoiled(value: unknown, key = ""): unknown {
	if (typeof value === "string") return WORDS.has(key) ? value : value + HOSTILE;
	if (Array.isArray(value)) return value.map((item) => spoiled(item, key));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoiled(inner, name)]));
}

function spoilFiles(directory: string): void {
	for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
		const path = join(entry.parentPath, entry.name);
		if (!/^(run|agent)\.json$|\.jsonl$/.test(entry.name)) continue;
		const isLines = entry.name.endsWith("l");
		const texts = isLines ? readFileSync(path, "utf8").trimEnd().split("\n") : [readFileSync(path, "utf8")];
		writeFileSync(path, texts.map((text) => `${JSON.stringify(spoiled(JSON.parse(text)))}\n`).join(""));
	}
}

test("every command shows a run whose files are hostile throughout as plain lines, and as JSON that is safe", async () => {
	// Seen to fail with C1 in JSON, bidi marks in all of it, and line feeds in signals and stop reasons.
	const program = startProgram(["run", "-m", "shell", "agent 'echo hi; exit 3'; agent 'sleep 60'; false"]);
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.2");
	await signalAgent(program, "1.2");
	await program.ended;
	const { home } = program;
	const directory = await program.runDirectory();
	const run = directory.split("/").at(-1) ?? "";
	spoilFiles(directory);
	const lines = [
		["ps", "-a"],
		["ps", run],
		["show", `${run}/1.2`],
		["log", run],
		["why", run],
		["why", `${run}/1.2`],
		["stop", run],
	];
	const shown = [
		...lines,
		["resume", run],
		["show", HOSTILE],
		["run", `--effort=${HOSTILE}`, "x"],
		["run", "-m", HOSTILE, "x"],
	];
	for (const args of shown) {
		const { stdout, stderr } = await runProgram(args, { home });
		expect(`${stdout}${stderr}`).not.toMatch(OBEYED_OR_HIDDEN);
		expect(stdout.length + stderr.length).toBeGreaterThan(0);
		if (args[0] !== "show") expect(`${stdout}${stderr}`).not.toMatch(/^(agent: )?FORGED/m);
	}
	for (const args of [
		["ps", run, "--json"],
		["show", run, "--json"],
		["why", `${run}/1.2`, "--json"],
	]) {
		const { stdout } = await runProgram(args, { home });
		expect(stdout).not.toMatch(OBEYED_OR_HIDDEN);
		expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
	}
	const log = await runProgram(["log", run, "--json", "-f"], { home });
	expect(log.stdout).not.toMatch(OBEYED_OR_HIDDEN);
	expect(
		log.stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line)),
	).toHaveLength(readFileSync(join(directory, "events.jsonl"), "utf8").trimEnd().split("\n").length);
});

test("an answer goes through a pipe to the byte, and is cleaned for a terminal", async () => {
	// Seen to fail with the answer printed to a terminal as it is.
	const home = temporaryHome();
	const task = "printf 'a\\033[31mb\\033]52;c;aGk=\\007\\xc2\\x9b2Jc\\x9bd\\342\\200\\256e\\rf\\n'";
	const { stdout } = await startProgram(["run", "-q", "-m", "shell", task], { home }).ended;
	expect(stdout.toString("latin1")).toBe("a\x1b[31mb\x1b]52;c;aGk=\x07\xc2\x9b2Jc\x9bd\xe2\x80\xaee\rf\n");
	if (spawnSync("script", ["--version"]).status !== 0) return; // util-linux's: a terminal whose output goes through a pipe
	writeFileSync(join(home, "task"), task);
	const command = `${process.execPath} ${AGENT_PROGRAM} run -q -m shell "$(cat task)"`;
	const onTerminal = await startLine(`script -qefc '${command}' /dev/null </dev/null`, { home }).ended;
	expect(onTerminal.stdout.toString()).toContain("abc\ufffdde\r\nf\r\n");
	expect(onTerminal.stdout.toString().replaceAll("\r\n", "\n")).not.toMatch(OBEYED_OR_HIDDEN);
});
