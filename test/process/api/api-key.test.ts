/** Only the supervisor has the key: no other process of the run, no file, no list of processes. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { type Program, startProgram, temporaryHome } from "../program.ts";
import { endOf, KEY, runs, says, startApiRun, startService } from "./api-run.ts";

const OTHER_KEY = "sk-ant-dummy-from-file-77aa";
const HOLD = "env; echo ready; until [ -e go ]; do sleep 0.05; done; env";

/** A root with a child, each with a command that prints its environment and waits for the file `go`. */
function holding() {
	return {
		look: [{ content: [runs("toolu_1", `{ ${HOLD}; } & agent "count"; wait`)] }, { content: [says("done")] }],
		count: [{ content: [runs("toolu_2", HOLD)] }, { content: [says("one")] }],
	};
}

test("with the key in the environment, no agent and no command has it, and no file and no argument holds it", async () => {
	const { api, program } = await startApiRun(holding(), ["look"], {
		env: { ANTHROPIC_AUTH_TOKEN: `${KEY}-token`, ANTHROPIC_LOG: "debug" },
	});
	await expectHidden(program, KEY);
	expect(api.requests.length).toBe(4);
});

test("with the key in a file that --env-file names, nothing but the supervisor has it", async () => {
	const home = temporaryHome();
	const api = await startService(holding());
	writeFileSync(join(home, "my.env"), `ANTHROPIC_API_KEY="${OTHER_KEY}"\nANTHROPIC_BASE_URL=${api.url}\n`);
	const program = startProgram(["run", "--env-file", "my.env", "look"], { home, env: { ANTHROPIC_API_KEY: KEY } });
	await expectHidden(program, OTHER_KEY, ["my.env"]);
	expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(
		Array.from({ length: 4 }, () => `Bearer ${OTHER_KEY}`),
	);
});

test("a .env of the working directory is not read", async () => {
	const home = temporaryHome();
	const hostile = await startService({});
	const cwd = join(home, "project");
	mkdirSync(cwd);
	writeFileSync(join(cwd, ".env"), `ANTHROPIC_API_KEY=${OTHER_KEY}\nANTHROPIC_BASE_URL=${hostile.url}\n`);
	const { api, program } = await startApiRun({ look: [{ content: [says("done")] }] }, ["look"], { home, cwd });
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect([api.requests.length, hostile.requests.length]).toEqual([1, 0]);
	const without = startProgram(["run", "look"], { home, cwd });
	expect(await endOf(without)).toMatchObject({ exit: 77, stdout: "" });
	expect(hostile.requests.length).toBe(0);
});

// Seen to fail (the key, and the headers, go to the file's address) when the file's variables were laid over the environment.
test("a file of a hostile repository gets neither the environment's key nor its headers", async () => {
	const home = temporaryHome();
	const hostile = await startService({ look: [{ content: [says("done")] }] });
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_CUSTOM_HEADERS: `x-gateway: ${KEY}` };
	const run = (text: string) => {
		writeFileSync(join(home, "my.env"), text);
		return endOf(startProgram(["run", "--env-file", "my.env", "look"], { home, env }));
	};
	const address = `ANTHROPIC_BASE_URL=${hostile.url}\n`;
	expect(await run(address)).toEqual({
		exit: 2,
		stdout: "",
		stderr: expect.stringMatching(/^agent: --env-file \S+ sets ANTHROPIC_BASE_URL but no key, [^\n]*\n$/),
	});
	expect(hostile.requests.length).toBe(0);
	expect(await run(`${address}ANTHROPIC_AUTH_TOKEN=${OTHER_KEY}\n`)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(hostile.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${OTHER_KEY}`]);
	expect(JSON.stringify(hostile.requests.map(({ headers }) => headers))).not.toContain(KEY);
});

const FILLED = [...KEY].join("\u200b\x1b[1m");
/** As it looks, whatever is in between. */
const seen = (text: string) => text.replace(/\u200b|(\x1b|\\u001b)\[1m/g, "");

// Seen to fail (the key on stderr, in events, transcripts and stacks) before anything was redacted, and with the key in FILLED.
test("a service that repeats the key, and an address with a password, tell nobody", async () => {
	const home = temporaryHome();
	const echo = `echo ${KEY.slice(0, 9)}"${KEY.slice(9)}"`;
	const turns = [
		{ content: [says(`You gave me ${KEY}, or ${FILLED}.`), runs("toolu_1", echo)], pieceSize: 3 },
		{ error: { status: 400, type: "invalid_request_error", message: `bad ${FILLED} from http://me:hunter2@h/` } },
	];
	const { program } = await startApiRun({ look: turns }, ["--output-format", "stream-json", "--verbose", "look"], {
		home,
	});
	const { exit, stdout, stderr } = await endOf(program);
	expect([exit, stderr]).toEqual([1, expect.stringContaining("bad [redacted] from http://me:[redacted]@h/")]);
	const directory = await program.runDirectory();
	const shown = await endOf(startProgram(["show", "1"], { home, env: { ANTHROPIC_API_KEY: KEY } }));
	expect(shown.stdout).toContain("You gave me [redacted], or [redacted].");
	const written = filesOf(directory).filter((path) => !path.endsWith("out/0001.log")); // what a command prints is kept as it is
	for (const text of [stdout, stderr, shown.stdout, ...written.map((path) => readFileSync(path, "utf8"))]) {
		expect(seen(text)).not.toContain(KEY);
		expect(text).not.toContain("hunter2");
	}
	const refused = startProgram(["run", "look"], {
		home,
		env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "ftp://me:hunter2@h/" },
	});
	expect(await endOf(refused)).toEqual({
		exit: 2,
		stdout: "",
		stderr: 'agent: ANTHROPIC_BASE_URL "ftp://[redacted]@h/" is not an http or https address\n',
	});
});

// Seen to fail: the child's words, which are the result of a command, had the key.
test("a stop reason that is not known and has the key in it is told without that, at every depth", async () => {
	const home = temporaryHome();
	const stopReason = `odd ${KEY} for ${FILLED}`;
	const odd = { content: [says("Half.")], stopReason };
	const { api, program } = await startApiRun(
		{ look: [{ content: [runs("toolu_1", 'agent -v "count"; echo "exit $?"')] }, odd], count: [odd] },
		["-v", "look"],
		{ home },
	);
	const { exit, stdout, stderr } = await endOf(program);
	expect([exit, stderr]).toEqual([1, expect.stringContaining("unknown reason: odd [redacted] for [redacted]\n")]);
	const told = await Promise.all(
		[
			["show", "1"],
			["show", "1.1"],
			["why", "1.1"],
			["log", "-v"],
			["show", "1.1", "--json"],
		].map((args) => endOf(startProgram(args, { home, env: {} }))),
	);
	const files = filesOf(await program.runDirectory()).map((path) => readFileSync(path, "utf8"));
	const asked = api.requests.map(({ raw }) => raw);
	for (const text of [stdout, stderr, ...told.map((end) => end.stdout + end.stderr), ...files, ...asked])
		expect(seen(text)).not.toContain(KEY);
	expect(files.join("").match(/odd \[redacted\]/g)?.length).toBeGreaterThan(2);
});

/** Looks for the key while both agents and both commands live, and again when all are over. */
async function expectHidden(program: Program, key: string, except: readonly string[] = []): Promise<void> {
	const pids = await livingPids(program);
	for (const pid of pids) {
		const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
		expect(environment).toContain("AGENTREE_SOCKET=");
		expect(environment).not.toMatch(/ANTHROPIC_|sk-ant-/);
	}
	const lines = procTable.list().map(({ pid }) => commandLine(pid));
	expect(lines.some((line) => line.includes("agent supervisor"))).toBe(true);
	expect(lines.filter((line) => line.includes(key))).toEqual([]);
	const directory = await program.runDirectory();
	writeFileSync(join(program.home, "go"), "");
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const log = readFileSync(join(directory, "1/1/out/0001.log"), "utf8");
	expect([...log.matchAll(/^AI_AGENT=agentree$/gm)].length).toBe(2);
	for (const file of filesOf(program.home, except))
		expect([file, readFileSync(file).includes("sk-ant-")]).toEqual([file, false]);
	expect(filesOf(directory).length).toBeGreaterThan(8);
}

async function livingPids(program: Program): Promise<number[]> {
	return vi.waitFor(() => {
		const events = program.events();
		const started = events.filter(isStart);
		const logs = ["1/out/0001.log", "1/1/out/0001.log"];
		if (started.length < 4) throw new Error("not all are there");
		const [supervisor] = events.flatMap((event) => (event.event === "run_started" ? [event.run] : []));
		for (const log of logs)
			if (!readFileSync(join(program.home, "agentree/runs", supervisor ?? "", log), "utf8").includes("ready"))
				throw new Error(`${log} is not ready`);
		return started.map(({ pid }) => pid);
	}, WAIT);
}

function isStart(event: RunEvent): event is Extract<RunEvent, { event: "agent_joined" | "command_started" }> {
	return event.event === "agent_joined" || event.event === "command_started";
}

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "latin1");
	} catch {
		return ""; // it is over
	}
}

function filesOf(directory: string, except: readonly string[] = []): string[] {
	return readdirSync(directory, { recursive: true, encoding: "utf8" })
		.filter((name) => !except.includes(name))
		.map((name) => join(directory, name))
		.filter((path) => statSync(path).isFile());
}
