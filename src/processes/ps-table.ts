/**
 * The process table as `ps` shows it: macOS, the BSDs, and Linux without /proc. Each question costs a process, so who
 * asks many at once takes a snapshot. What it knows less well than /proc:
 * - Start times are whole seconds: a pid that was given again within a second is taken for the same process.
 * - macOS does not tell a session's leader, only an address or 0: there a process's group stands for its session.
 * - Environments follow the command's words without a border: a value may be cut where a word in it looks like a name.
 *   macOS hides those of its own programs (/bin/sleep), FreeBSD those that rewrote their title.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";
import type { ProcessInfo, ProcessTable } from "./process-table.ts";
import { secondsAsStartTime } from "./start-time.ts";

/** `pid` is that of ps itself, which is in its own list. Throws when it cannot be run. */
export type RunPs = (args: readonly string[]) => { pid: number; stdout: string };

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const LINE =
	/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s+\w{3}\s+(\w{3})\s+(\d+)\s+(\d+):(\d+):(\d+)\s+(\d{4})\s*(.*)$/;

export function createPsTable(platform: string, runPs: RunPs = runSystemPs): ProcessTable {
	const columns = ["pid", "ppid", "pgid", sessionColumn(platform), "state", "uid", "lstart", "comm"];
	// POSIX: what follows `=` is the header up to the argument's end, so each column is an argument.
	const facts = ["-ww", ...columns.flatMap((column) => ["-o", `${column}=`])];
	const words = ["-ww", "-o", "pid=", "-o", "command="];
	const all = (which: readonly string[]) => {
		const { pid, stdout } = runPs([...facts, ...which]);
		return parseProcesses(stdout).filter((info) => info.pid !== pid);
	};
	const environments = (which: readonly string[]) =>
		parseEnvironments(
			runPs([...words, ...which]).stdout,
			runPs([...withEnvironment(platform, words), ...which]).stdout,
		);
	const list = () => all(["-A"]);
	return {
		list,
		read: (pid) => all(["-p", String(pid)]).find((info) => info.pid === pid),
		environment: (pid) => environments(["-p", String(pid)]).get(pid),
		snapshot: () => {
			const infos = once(list);
			const byPid = once(() => new Map(infos().map((info) => [info.pid, info])));
			const environmentByPid = once(() => environments(["-A"]));
			return {
				list: infos,
				read: (pid) => byPid().get(pid),
				environment: (pid) => (byPid().has(pid) ? environmentByPid().get(pid) : undefined),
			};
		},
	};
}

/** One line a process, as the columns above; a line that has no start time (a zombie, on some systems) is left out. */
export function parseProcesses(text: string): ProcessInfo[] {
	return text.split("\n").flatMap((line) => {
		const match = LINE.exec(line);
		if (match === null) return [];
		const [, pid, parent, group, session = "", state = "", uid, month = "", ...rest] = match;
		const [day, hour, minute, second, year, name = ""] = rest;
		const [d, h, m, s, y] = [day, hour, minute, second, year].map(Number) as [number, number, number, number, number];
		const seconds = Date.UTC(y, MONTHS.indexOf(month) / 3, d, h, m, s) / 1000;
		return [
			{
				pid: Number(pid),
				startTime: secondsAsStartTime(seconds),
				parent: Number(parent),
				group: Number(group),
				session: sessionOf(session) ?? Number(group),
				state: state[0] === "U" ? "D" : (state[0] ?? "?"), // macOS: uninterruptible
				name: name.startsWith("/") ? name.slice(name.lastIndexOf("/") + 1) : name, // macOS: the whole path
				uid: Number(uid),
			},
		];
	});
}

/** From `pid command…` and `pid command… NAME=value NAME=value`: a word of the command is no variable. */
export function parseEnvironments(commands: string, withEnvironments: string): Map<number, Record<string, string>> {
	const commandByPid = new Map(linesByPid(commands));
	return new Map(
		linesByPid(withEnvironments).map(([pid, text]) => {
			const command = commandByPid.get(pid);
			const isBehind = command !== undefined && text.startsWith(command);
			return [pid, parsePairs(isBehind ? text.slice(command.length) : text)];
		}),
	);
}

function linesByPid(text: string): [number, string][] {
	return text.split("\n").flatMap((line): [number, string][] => {
		const match = /^\s*(\d+)\s(.*)$/.exec(line);
		return match === null ? [] : [[Number(match[1]), (match[2] ?? "").trimEnd()]];
	});
}

function parsePairs(text: string): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const pair of text.split(/(?:^|\s)(?=[A-Za-z_]\w*=)/)) {
		const match = /^([A-Za-z_]\w*)=(.*)$/.exec(pair);
		if (match !== null) environment[match[1] ?? ""] ??= match[2] ?? "";
	}
	return environment;
}

/** A session is named by its leader's pid. 0 and `-` say nothing; an address is hexadecimal, or longer than a pid. */
function sessionOf(text: string): number | undefined {
	const session = /^\d{1,9}$/.test(text) ? Number(text) : 0;
	return session > 0 ? session : undefined;
}

function sessionColumn(platform: string): string {
	return platform === "darwin" || platform === "openbsd" ? "sess" : "sid";
}

/** On macOS `-e` is `-A`, elsewhere a dash would make it so. */
function withEnvironment(platform: string, words: readonly string[]): string[] {
	return platform === "darwin" ? ["-E", ...words] : ["eww", ...words.slice(1)];
}

const PROGRAMS = ["/bin/ps", "/usr/bin/ps"]; // not by PATH: what it says decides who is killed
const LIMITS = { timeout: 10_000, maxBuffer: 256 * 1024 * 1024 };
// The date in English, and in UTC, which has no hour twice; names and paths as they are.
const ENVIRONMENT = { LC_ALL: "C.UTF-8", TZ: "UTC0", PATH: "/bin:/usr/bin" };

function runSystemPs(args: readonly string[]): { pid: number; stdout: string } {
	const program = PROGRAMS.find((path) => existsSync(path)) ?? "ps";
	const { pid, stdout, error } = spawnSync(program, [...args], { ...LIMITS, env: ENVIRONMENT, encoding: "utf8" });
	if (error !== undefined)
		throw new AgentreeError("not_started", `cannot look at the processes of this system: ${error.message}`);
	return { pid, stdout };
}

function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
