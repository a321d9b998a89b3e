/**
 * The process table as `ps` shows it: macOS, the BSDs, and Linux without /proc. Each question starts a process, which takes
 * some ten milliseconds whatever is asked, so for many questions take a look. What it knows less well than /proc:
 * - Start times are whole seconds: a pid that is reused within a second is taken for the same process.
 * - macOS does not tell a session's leader, only an address or 0: there the process group stands for the session.
 * - Environments follow the command's words without a border: a value may be cut where a word in it looks like a name.
 *   macOS hides the environments of its own programs (/bin/sleep), FreeBSD those of programs that rewrote their title.
 * In a fork bomb no process is left for ps: where there is a /proc, it is read instead for a while.
 */

import { existsSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { childProcess } from "../child-process.ts";
import { SYSTEM_CLOCK } from "../system-clock.ts";
import {
	isFailedLook,
	type Look,
	type ProcessInfo,
	type ProcessTable,
	secondsAsStartTime,
	shareLooks,
} from "./process-table.ts";

const FALLBACK_MS = 5_000; // from a failure of ps on: to try it again may cost its whole timeout

/** `fallback` answers while ps cannot be run; without it such a look throws. `now`: milliseconds that never go back. */
export function createPsTable(
	platform: string,
	ps: Ps = SYSTEM_PS,
	{ fallback, now = SYSTEM_CLOCK.elapsed }: { fallback?: ProcessTable | undefined; now?: () => number } = {},
): ProcessTable {
	const { facts, environments } = psArguments(platform);
	const ask = (which: readonly string[]) => ({
		facts: () => ps.run([...facts, ...which]),
		environments: () => ps.run([...environments, ...which]),
	});
	const only: PsLooks = {
		list: () => lookOf(ask(["-A"])).list(),
		read: (pid) => lookOf(ask(["-p", String(pid)])).read(pid),
		environment: (pid) => lookOf(ask(["-p", String(pid)])).environment(pid),
		look: () => lookOf(ask(["-A"])),
		freshLook: async () => {
			const looks = [ps.start([...facts, "-A"]), ps.start([...environments, "-A"])] as const;
			const [now, lines] = await Promise.all(looks);
			return lookOf({ facts: () => now, environments: () => lines });
		},
	};
	const table = fallback === undefined ? only : withFallback(only, fallback, now);
	return { ...table, newestPid: () => undefined, freshLook: shareLooks(table.freshLook), isCostly: true };
}

type PsLooks = Omit<ProcessTable, "newestPid" | "isCostly">;

/** Asks `fallback` when `first` fails, and then for FALLBACK_MS without trying `first`. */
function withFallback(first: PsLooks, fallback: ProcessTable, now: () => number): PsLooks {
	let failedAt = Number.NEGATIVE_INFINITY;
	const hasJustFailed = () => now() - failedAt < FALLBACK_MS;
	const failed = (error: unknown) => {
		if (!isFailedLook(error)) throw error;
		failedAt = now();
	};
	const ask = <T>(question: (look: Look) => T, table: Look = first): T => {
		if (hasJustFailed()) return question(fallback);
		try {
			return question(table);
		} catch (error) {
			failed(error);
			return question(fallback);
		}
	};
	const asking = (table: Look): Look => ({
		list: () => ask((asked) => asked.list(), table),
		read: (pid) => ask((asked) => asked.read(pid), table),
		environment: (pid) => ask((asked) => asked.environment(pid), table),
	});
	return {
		...asking(first),
		look: () => (hasJustFailed() ? fallback.look() : asking(first.look())),
		freshLook: async () => {
			if (hasJustFailed()) return fallback.look();
			return (await first.freshLook().catch(failed)) ?? fallback.look();
		},
	};
}

/** A look that runs each of the two ps at most once, and only when its answer is needed. */
function lookOf(look: { facts: () => PsOutput; environments: () => PsOutput }): Look {
	const byPid = once(() => processesIn(look.facts()));
	const lines = once(() => parseCommandLines(look.environments().stdout));
	const parsed = new Map<number, Record<string, string>>();
	return {
		list: () => [...byPid().values()].map(({ info }) => info),
		read: (pid) => byPid().get(pid)?.info,
		environment: (pid) => {
			const process = byPid().get(pid);
			const line = process === undefined ? undefined : lines().get(pid);
			if (process === undefined || line === undefined) return undefined; // the process was over when the second ps ran
			const environment = parsed.get(pid) ?? environmentBehind(process.words, line);
			parsed.set(pid, environment);
			return environment;
		},
	};
}

function processesIn({ pid, stdout }: PsOutput): Map<number, PsProcess> {
	const others = parseProcesses(stdout).filter(({ info }) => info.pid !== pid);
	return new Map(others.map((process) => [process.info.pid, process]));
}

function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

/** Runs the system's own `ps`. */

/** `pid` is that of ps itself, which lists itself, too. */
export interface PsOutput {
	readonly pid: number;
	readonly stdout: string;
}

/** Both fail when ps cannot be run: a failed look never looks like an empty system. */
interface Ps {
	/** Blocks the event loop. Throws AgentreeError("not_started"). */
	readonly run: (args: readonly string[]) => PsOutput;
	/** Does not block the event loop. Rejects with AgentreeError("not_started"). */
	readonly start: (args: readonly string[]) => Promise<PsOutput>;
}

const PROGRAMS = ["/bin/ps", "/usr/bin/ps"]; // not found by PATH: its output decides what is killed
// Dates in English and in UTC, which has no hour twice; UTF-8, so that names and paths are printed as they are.
const ENVIRONMENT = { LC_ALL: "C.UTF-8", TZ: "UTC0", PATH: "/bin:/usr/bin" };
const OPTIONS = { timeout: 30_000, maxBuffer: 256 * 1024 * 1024, env: ENVIRONMENT, encoding: "utf8" } as const;
const BLOCKING = { ...OPTIONS, timeout: 5_000 } as const; // the caller does nothing else meanwhile
const MAX_TRIES = 3; // a signal to this process's group or children meets its ps, too

export const SYSTEM_PS: Ps = {
	run: (args) => {
		for (let tries = 1; ; tries++) {
			const { pid, stdout, error, signal } = childProcess().spawnSync(program(), [...args], BLOCKING);
			if (error === undefined && signal === null) return { pid, stdout };
			if (error !== undefined || tries === MAX_TRIES) throw cannotLook(error?.message ?? `ps got ${signal}`);
		}
	},
	start: async (args) => {
		for (let tries = 1; ; tries++) {
			const outcome = await startOnce(args).catch((error: Error) => ({ reason: error.message, mayRetry: false })); // ENOMEM is thrown
			if ("stdout" in outcome) return outcome;
			if (!outcome.mayRetry || tries === MAX_TRIES) throw cannotLook(outcome.reason);
		}
	},
};

/** Runs ps once. An exit status that is not 0 is no failure: it says that no process was found. */
function startOnce(args: readonly string[]): Promise<PsOutput | { reason: string; mayRetry: boolean }> {
	return new Promise((resolve) => {
		const child = childProcess().execFile(program(), [...args], OPTIONS, (error, stdout) => {
			const hasLooked = error === null || (typeof error.code === "number" && !error.killed);
			if (hasLooked && child.pid !== undefined) return resolve({ pid: child.pid, stdout });
			resolve({ reason: error?.message ?? "ps has not started", mayRetry: Boolean(error?.signal && !error.killed) });
		});
	});
}

function program(): string {
	return PROGRAMS.find((path) => existsSync(path)) ?? "ps";
}

function cannotLook(reason: string): AgentreeError {
	return new AgentreeError("not_started", `cannot read the process table: ${reason}`);
}

/**
 * The arguments and the output of `ps`. The name column stands before the start time: a name may hold spaces, and the start
 * time marks its end. The words of the command stand last; in a second output the environment follows these words.
 */

interface PsArguments {
	readonly facts: readonly string[];
	readonly environments: readonly string[];
}

/** A process and the words of its command, as one text. */
interface PsProcess {
	readonly info: ProcessInfo;
	readonly words: string;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const IDS = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s(.*?)\s*/.source;
const START = /\b\w{3}\s+([A-Z][a-z]{2})\s+(\d+)\s+(\d+):(\d+):(\d+)\s+(\d{4})(?:\s(.*))?$/.source;
const LINE = new RegExp(IDS + START);

/** `facts` asks for all but the environments, which on some systems only another form of ps prints. */
function psArguments(platform: string): PsArguments {
	// `comm` is a path on macOS, and cut where it is not the last; `ucomm` is the short name everywhere.
	const facts = ["pid", "ppid", "pgid", sessionColumn(platform), "state", "uid", "time", "ucomm", "lstart", "command"];
	return {
		facts: ["-ww", ...columns(facts)],
		// macOS prints environments with -E, the others with a BSD-style `e`, without a dash: `-e` means all processes.
		environments: [...(platform === "darwin" ? ["-E", "-ww"] : ["eww"]), ...columns(["pid", "command"])],
	};
}

/** POSIX: what follows `=` up to the end of the argument is the header, so each column is an argument of its own. */
function columns(names: readonly string[]): string[] {
	return names.flatMap((name) => ["-o", `${name}=`]);
}

function sessionColumn(platform: string): string {
	return platform === "darwin" || platform === "openbsd" ? "sess" : "sid";
}

/** One line a process, in the columns above. A line without a start time (a zombie, on some systems) is left out. */
export function parseProcesses(text: string): PsProcess[] {
	return text.split("\n").flatMap((line) => {
		const match = LINE.exec(line);
		if (match === null) return [];
		const [, pid, parent, group, session = "", state = "", uid, time = "", name = "", month = "", ...rest] = match;
		const [d, h, m, s, y] = rest.slice(0, 5).map(Number) as [number, number, number, number, number];
		const seconds = Date.UTC(y, MONTHS.indexOf(month) / 3, d, h, m, s) / 1000;
		const info = {
			pid: Number(pid),
			startTime: secondsAsStartTime(seconds),
			parent: Number(parent),
			group: Number(group),
			session: sessionOf(session) ?? Number(group),
			state: state[0] === "U" ? "D" : (state[0] ?? "?"), // macOS: uninterruptible
			name,
			uid: Number(uid),
			...defined({ cpuMs: cpuMsOf(time) }),
		};
		return [{ info, words: (rest[5] ?? "").trimEnd() }];
	});
}

/** The pid of the session's leader; undefined for `0`, `-` and a kernel address (hexadecimal, or longer than a pid). */
function sessionOf(text: string): number | undefined {
	const session = /^\d{1,9}$/.test(text) ? Number(text) : 0;
	return session > 0 ? session : undefined;
}

/** `00:01:30` on Linux, `1-02:03:04` after a day, `1:30.25` elsewhere; undefined for what is none of them. */
function cpuMsOf(time: string): number | undefined {
	const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(time);
	if (match === null) return undefined;
	const [days, hours, minutes] = match.slice(1, 4).map((part = "0") => Number(part)) as [number, number, number];
	const seconds = Number((match[4] ?? "").replace(",", "."));
	return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}

/** Lines of `pid command… NAME=value NAME=value`, as pid → what follows the pid. */
export function parseCommandLines(text: string): Map<number, string> {
	const lines = text.split("\n").map((line) => /^\s*(\d+)\s(.*)$/.exec(line));
	return new Map(lines.flatMap((match) => (match === null ? [] : [[Number(match[1]), (match[2] ?? "").trimEnd()]])));
}

/** The environment in `line`, after the command's own `words`. A line with other words (exec in between) is searched whole. */
export function environmentBehind(words: string, line: string): Record<string, string> {
	const environment: Record<string, string> = {};
	const text = line.startsWith(words) ? line.slice(words.length) : line;
	for (const pair of text.split(/(?:^|\s)(?=[A-Za-z_]\w*=)/)) {
		const match = /^([A-Za-z_]\w*)=(.*)$/.exec(pair);
		if (match !== null) environment[match[1] ?? ""] ??= match[2] ?? "";
	}
	return environment;
}
