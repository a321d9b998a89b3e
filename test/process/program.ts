/**
 * The whole program, as a user runs it: `node bin/agent.js …` in a home of its own. Nothing that it starts outlives the
 * test: at the test's end the supervisors of that home are killed by pid, then all processes with a cookie of its runs.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import type { RunEvent } from "../../src/core/schemas/run-event.ts";
import { isRecordedAlive } from "../../src/processes/table/open-table.ts";
import { hasEnded, procTable } from "../../src/processes/table/process-table.ts";
import { readEvents } from "../../src/record/read-events.ts";
import { newestRuns, readRunFile } from "../../src/record/read-run.ts";
import { runFilePath, runsDirectory } from "../../src/record/run-directory.ts";
import { WAIT } from "../wait.ts";

export const AGENT_PROGRAM = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));
export interface ProgramOptions {
	/** Added to an environment that has PATH and places below `home`, and nothing else. */
	env?: Record<string, string>;
	cwd?: string;
	/** Default: /dev/null. `silent`: a pipe that stays open and delivers nothing. */
	stdin?: string | Buffer | { silent: true } | { fd: number };
	/** From `temporaryHome`, for several programs that look at the same runs. */
	home?: string;
}

export interface ProgramEnd {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: Buffer;
	stderr: Buffer;
}

export interface Program {
	readonly pid: number;
	/** HOME; state, runtime directory and AGENTREE_HOME (`home/agentree`) are below it. */
	readonly home: string;
	/** Resolves when it has exited and both of its streams are at their end. */
	readonly ended: Promise<ProgramEnd>;
	/** What it has written to stdout so far. */
	stdoutSoFar(): string;
	/** The directory of the newest run of this home, as soon as there is one. */
	runDirectory(): Promise<string>;
	/** The events in its log now. */
	events(): RunEvent[];
	waitForEvent<E extends RunEvent>(predicate: (event: RunEvent) => event is E): Promise<E>;
	waitForEvent(predicate: (event: RunEvent) => boolean): Promise<RunEvent>;
	kill(signal?: NodeJS.Signals): void;
}

export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
	return start(process.execPath, [AGENT_PROGRAM, ...args], options);
}

/** A line of bash in which `"$@"` is the program: `"$@" run … | head -1`. */
export function startLine(line: string, options: ProgramOptions = {}): Program {
	return start("bash", ["-c", line, "bash", process.execPath, AGENT_PROGRAM], options);
}

/** Runs the program from start to end; gives its streams as text. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}) {
	const { code, signal, stdout, stderr } = await startProgram(args, options).ended;
	return { exit: code ?? signal, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
}

/** A command that makes the file `ready`, and the file `lived` 2 to 3 s after SIGTERM, within the grace, if it has this time. */
export const GOES_ON_AFTER_TERM =
	"trap 'until=$((SECONDS + 3)); while ((SECONDS < until)); do :; done; echo > lived' TERM; echo > ready; while :; do sleep 0.2; done";

/** A home that is removed at the end of the test, when nothing of its runs is alive any more. */
export function temporaryHome(): string {
	const home = mkdtempSync(join(tmpdir(), "agentree-home-"));
	mkdirSync(join(home, "run"), { mode: 0o700 });
	onTestFinished(async () => {
		await vi.waitFor(() => endRunsOf(home), WAIT);
		rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }); // a dying shell still writes its history
	});
	return home;
}

function start(file: string, args: readonly string[], options: ProgramOptions): Program {
	const { home = temporaryHome(), cwd = home, stdin } = options;
	const isInherited = stdin !== undefined && typeof stdin === "object" && "fd" in stdin;
	const child = spawn(file, args, {
		cwd,
		env: environmentIn(home, options.env),
		stdio: [stdin === undefined ? "ignore" : isInherited ? stdin.fd : "pipe", "pipe", "pipe"],
	});
	child.stdin?.on("error", () => {}); // it need not read what it is given
	if (typeof stdin === "string" || Buffer.isBuffer(stdin)) child.stdin?.end(stdin);
	const stdout = collect(child.stdout);
	const stderr = collect(child.stderr);
	const ended = new Promise<ProgramEnd>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, signal) => resolve({ code, signal, stdout: stdout(), stderr: stderr() }));
	});
	onTestFinished(() => {
		if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
	});
	const events = () => eventsOf(home);
	return {
		pid: child.pid ?? 0,
		home,
		ended,
		stdoutSoFar: () => stdout().toString("utf8"),
		runDirectory: () => vi.waitFor(() => required(newestRun(home), "a run directory"), WAIT),
		events,
		waitForEvent: (predicate: (event: RunEvent) => boolean) =>
			vi.waitFor(() => required(events().find(predicate), "such an event"), WAIT) as Promise<never>,
		kill: (signal = "SIGTERM") => void child.kill(signal),
	};
}

function environmentIn(home: string, added: Record<string, string> = {}): Record<string, string> {
	return {
		PATH: process.env.PATH ?? "",
		HOME: home,
		XDG_STATE_HOME: join(home, "state"),
		XDG_RUNTIME_DIR: join(home, "run"),
		AGENTREE_HOME: join(home, "agentree"),
		AGENTREE_SANDBOX: process.env.AGENTREE_SANDBOX ?? "", // vitest.config.mts
		...added,
	};
}

function collect(stream: NodeJS.ReadableStream | null): () => Buffer {
	const chunks: Buffer[] = [];
	stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
	return () => Buffer.concat(chunks);
}

/** Run ids begin with their time, to the second. */
function runsOf(home: string): string[] {
	const runs = runsDirectory(join(home, "agentree"));
	return existsSync(runs) ? readdirSync(runs).sort() : [];
}

/** The run that was started last; by its id while it has no run.json, or a damaged one. */
function newestRun(home: string): string | undefined {
	const [newest] = newestRuns(join(home, "agentree"));
	const run = runsOf(home).at(-1);
	return newest?.directory ?? (run === undefined ? undefined : join(runsDirectory(join(home, "agentree")), run));
}

function eventsOf(home: string): RunEvent[] {
	const directory = newestRun(home);
	if (directory === undefined || !existsSync(join(directory, "events.jsonl"))) return [];
	return readEvents(directory).values;
}

/** Kills the living processes; throws if there were any, so that it is tried again. */
function endRunsOf(home: string): void {
	const runs = runsOf(home);
	for (const run of runs) endSupervisor(join(runsDirectory(join(home, "agentree")), run));
	const alive = procTable.list().filter((info) => {
		const [run = ""] = (procTable.environment(info.pid)?.AGENTREE_AGENT ?? "").split("/");
		return !hasEnded(info) && runs.includes(run);
	});
	for (const { pid } of alive) endByPid(pid);
	if (alive.length > 0) throw new Error(`still alive: ${alive.map(({ pid, name }) => `${name} ${pid}`).join(", ")}`);
}

function endSupervisor(directory: string): void {
	if (!existsSync(runFilePath(directory))) return;
	const { supervisor } = readRunFile(directory);
	if (isRecordedAlive(supervisor)) endByPid(supervisor.pid);
}

function endByPid(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {} // it is over by itself
}

function required<T>(value: T | undefined, what: string): T {
	if (value === undefined) throw new Error(`waited in vain for ${what}`);
	return value;
}
