/** `agent doctor` tries whether everything is here that a run needs. It leaves nothing but the two directories, and never shows a key. */

import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { absolutePath } from "../../core/machine/paths.ts";
import { newRunId } from "../../core/run/run-id.ts";
import type { Io } from "../../faces/print/io.ts";
import { makeCgroup } from "../../processes/cgroups/cgroup.ts";
import { prepareSocket, stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { Command } from "../../project/config/command-table.ts";
import { prepareDirectory } from "../../project/config/user-directories.ts";
import { whyShimsCannotRun } from "../../supervisor/processes/shims.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { redact } from "../../text/safe/redact.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { padWidth } from "../../text/width/width.ts";
import { wrapWords } from "../../text/width/wrap.ts";
import { namedKeyFiles } from "../doctor/ask-services.ts";
import {
	type Check,
	checkConfiguration,
	checkKey,
	checkOnline,
	checkServices,
	messageOf,
	userHosts,
} from "../doctor/check-services.ts";
import { checkAnswers, checkProject, checkSandbox } from "../doctor/checks.ts";
import { stateDirectoryFor } from "../io/find-run.ts";
import { withProcessIo } from "../io/process-io.ts";
import type { KeyFiles } from "../start/credentials.ts";

export const command: Command = (_, values) =>
	withProcessIo((io) => {
		const files = namedKeyFiles(values, io);
		return doctor({ json: values.json === true, isOnline: values.online === true, files }, io);
	});

interface Asked {
	readonly json: boolean;
	/** Services are called, too. */
	readonly isOnline?: boolean;
	readonly files?: KeyFiles;
}

const LEAST_NODE: readonly [number, number] = [20, 19];
const LEAST_FREE_BYTES = 1024 ** 3; // a run may write gigabytes of output
const PROGRAM_TIMEOUT_MS = 10_000;
const WITHOUT_CGROUPS =
	"processes that leave their session, parents and environment are not found; try systemd-run --user --scope agent run …";

/** The exit code is 1 when a check fails; a warning is no failure. */
export async function doctor({ json, isOnline = false, files = {} }: Asked, io: Io): Promise<number> {
	const home = stateDirectoryFor(io);
	const hosts = await userHosts(io);
	const found = [
		...checkWorkingDirectory(io),
		checkNode(process.versions.node),
		await checkProgram("bash", io, "fail"),
		await checkProgram("git", io, "warn"),
		checkTerminal(io),
		checkStateDirectory(home, io),
		await checkFifo(home, io),
		...(await checkChildren(home, io)),
		await checkSocket(home, io),
		checkKey(io.env, hosts),
		...checkServices(io.env, hosts),
		await checkConfiguration(io),
		...(isOnline ? await checkOnline(io, files) : []),
		...checkProject(io, home),
		...checkAnswers(io),
		await checkSandbox(io),
		checkProc(),
		await checkCgroup(io),
	];
	const checks = found.map((check) => ({ ...check, detail: redact(check.detail) }));
	if (json) io.stdout(`${safeJson({ checks }, "\t")}\n`);
	else
		for (const check of checks)
			io.stdout(`${wrapWords(checkLine(check), io.columns ?? Number.POSITIVE_INFINITY, DETAIL_COLUMN)}\n`);
	return checks.some((check) => check.result === "fail") ? 1 : 0;
}

const [RESULT_COLUMNS, WHAT_COLUMNS, GAP] = [4, 15, "  "];
const DETAIL_COLUMN = RESULT_COLUMNS + WHAT_COLUMNS + 2 * GAP.length;

function checkLine({ result, what, detail }: Check): string {
	return [padWidth(result, RESULT_COLUMNS), padWidth(what, WHAT_COLUMNS), oneLine(detail)].join(GAP);
}

/** Said only when something is wrong: where a run works is no property of this machine. */
function checkWorkingDirectory({ cwdProblem }: Io): Check[] {
	return cwdProblem === undefined ? [] : [{ result: "fail", what: "directory", detail: cwdProblem }];
}

export function checkNode(version: string): Check {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const isFit = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
	const detail = isFit ? version : `${version}: install Node ${LEAST_NODE.join(".")} or later`;
	return { result: isFit ? "ok" : "fail", what: "node", detail };
}

async function checkProgram(program: "bash" | "git", io: Io, without: "fail" | "warn"): Promise<Check> {
	const { failed, stdout, shortMessage } = await run(program, ["--version"], io);
	if (failed) return { result: without, what: program, detail: `${shortMessage}; install ${program}` };
	return { result: "ok", what: program, detail: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? stdout };
}

/** A missing or unfit terminal is never a failure: it keeps nobody from running an agent, only from watching it. */
export function checkTerminal({ env, isTTY, columns, rows }: Pick<Io, "env" | "isTTY" | "columns" | "rows">): Check {
	const term = env.TERM || "not set";
	if (!isTTY) return { result: "ok", what: "terminal", detail: `none (TERM ${term}): agent tree prints plain lines` };
	const colours = env.NO_COLOR
		? "no colors (NO_COLOR)"
		: env.COLORTERM || (term.includes("256") ? "256 colors" : "few colors");
	const size = `${columns ?? "?"}×${rows ?? "?"}`;
	const detail = `TERM ${term}, ${size}, ${colours}`;
	if (!env.TERM || env.TERM === "dumb")
		return { result: "warn", what: "terminal", detail: `${detail}: agent tree needs a TERM` };
	return { result: "ok", what: "terminal", detail };
}

function checkStateDirectory(home: string, io: Io): Check {
	const what = "state directory";
	const { uid } = io;
	try {
		stateDirectoryOf(io);
		prepareDirectory(home, uid);
		accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
		const { bavail, bsize } = statfsSync(home);
		const free = bavail * bsize;
		const detail = `${home}, ${(free / 1024 ** 3).toFixed(1)} GiB free`;
		return { result: free < LEAST_FREE_BYTES ? "warn" : "ok", what, detail };
	} catch (error) {
		return { result: "fail", what, detail: messageOf(error) };
	}
}

/** The output of a command goes through a FIFO; not every file system can hold one. */
async function checkFifo(home: string, io: Io): Promise<Check> {
	let directory: string | undefined;
	try {
		directory = mkdtempSync(join(home, "doctor-"));
		const { failed, shortMessage } = await run("mkfifo", [join(directory, "fifo")], io);
		if (failed) return { result: "fail", what: "mkfifo", detail: shortMessage };
		return { result: "ok", what: "mkfifo", detail: "works in the state directory" };
	} catch (error) {
		return { result: "fail", what: "mkfifo", detail: messageOf(error) };
	} finally {
		if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
	}
}

/** Said only when something is wrong: agents find the program as a script in the run's directory. */
async function checkChildren(home: string, io: Io): Promise<Check[]> {
	let directory: string | undefined;
	try {
		directory = mkdtempSync(join(home, "doctor-"));
		const script = join(directory, "agent");
		writeFileSync(script, "#!/bin/sh\n", { mode: 0o700 });
		const { failed, shortMessage } = await run(script, [], io);
		const detail = whyShimsCannotRun(directory) ?? `cannot run a script in the state directory: ${shortMessage}`;
		return failed ? [{ result: "fail", what: "child agents", detail }] : [];
	} catch {
		return []; // the checks of the directory have said it
	} finally {
		if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
	}
}

async function checkSocket(home: string, io: Io): Promise<Check> {
	const what = "socket";
	try {
		const { path, notice } = prepareSocket(`doctor-${process.pid}`, home, io);
		if (notice !== undefined) io.stderr(`agent: ${notice}\n`);
		await listenOnce(path);
		return { result: "ok", what, detail: `${dirname(path)}, paths of ${Buffer.byteLength(path)} bytes` };
	} catch (error) {
		return { result: "fail", what, detail: messageOf(error) };
	}
}

function listenOnce(path: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen(path, () => server.close(() => resolve())); // closing removes the path
	});
}

function checkProc(): Check {
	const what = "process table";
	try {
		readFileSync("/proc/self/stat");
		readFileSync("/proc/self/environ");
		return { result: "ok", what, detail: "/proc" };
	} catch (error) {
		return { result: "fail", what, detail: `${messageOf(error)}: without /proc, agents cannot be found` };
	}
}

const INTO = 'echo $$ > "$1/cgroup.procs"';

/**
 * Makes one as a run would, lets a process move into it, as agents do, and removes it. Without cgroups a run works, and finds its processes
 * in the other ways.
 */
async function checkCgroup({ now }: Io): Promise<Check> {
	const what = "cgroups";
	const without = (reason: string): Check => ({ result: "warn", what, detail: `${reason}; ${WITHOUT_CGROUPS}` });
	const made = makeCgroup(newRunId(new Date(now()), Math.random));
	if (made.is === "impossible") return without(made.reason);
	const { path } = made.cgroup;
	const { execa } = await import("execa");
	const { failed } = await execa("/bin/sh", ["-c", INTO, "sh", path], { reject: false, stdin: "ignore" });
	made.cgroup.remove();
	return failed
		? without(`no process can move into ${path}`)
		: { result: "ok", what, detail: `a run has one in ${dirname(path)}` };
}

async function run(program: string, args: string[], io: Io) {
	const { execa } = await import("execa");
	const { failed, stdout, shortMessage } = await execa(program, args, {
		cwd: io.cwdProblem === undefined ? io.cwd : "/", // else it would seem that the program is missing
		env: { ...io.env, PATH: absolutePath(io.env.PATH) },
		extendEnv: false,
		reject: false,
		stdin: "ignore",
		timeout: PROGRAM_TIMEOUT_MS,
	});
	return { failed, stdout: stdout ?? "", shortMessage: shortMessage ?? "" };
}
