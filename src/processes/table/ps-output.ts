/**
 * The arguments and the output of `ps`. The name column stands before the start time: a name may hold spaces, and the start
 * time marks its end. The words of the command stand last; in a second output the environment follows these words.
 */
import { defined } from "../../core/defined.ts";
import { type ProcessInfo, secondsAsStartTime } from "./process-table.ts";

interface PsArguments {
	readonly facts: readonly string[];
	readonly environments: readonly string[];
}

/** A process and the words of its command, as one text. */
export interface PsProcess {
	readonly info: ProcessInfo;
	readonly words: string;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const IDS = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s(.*?)\s*/.source;
const START = /\b\w{3}\s+([A-Z][a-z]{2})\s+(\d+)\s+(\d+):(\d+):(\d+)\s+(\d{4})(?:\s(.*))?$/.source;
const LINE = new RegExp(IDS + START);

/** `facts` asks for all but the environments, which on some systems only another form of ps prints. */
export function psArguments(platform: string): PsArguments {
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
