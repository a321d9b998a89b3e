/**
 * What `ps` is asked, and what it says. The name stands before the start time, since it may hold spaces and the start
 * time ends it; the command's words stand last. With them at hand, the environment is what follows them in a second look.
 */
import type { ProcessInfo } from "./process-table.ts";
import { secondsAsStartTime } from "./start-time.ts";

export interface PsArguments {
	readonly facts: readonly string[];
	readonly environments: readonly string[];
}

/** What a process is, and the words of its command. */
export interface PsProcess {
	readonly info: ProcessInfo;
	readonly words: string;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const IDS = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s(.*?)\s*/.source;
const START = /\b\w{3}\s+([A-Z][a-z]{2})\s+(\d+)\s+(\d+):(\d+):(\d+)\s+(\d{4})(?:\s(.*))?$/.source;
const LINE = new RegExp(IDS + START);

export function psArguments(platform: string): PsArguments {
	// `comm` is a path on macOS, and cut where it is not the last; `ucomm` is the short name everywhere.
	const facts = ["pid", "ppid", "pgid", sessionColumn(platform), "state", "uid", "ucomm", "lstart", "command"];
	return {
		facts: ["-ww", ...columns(facts)],
		// On macOS `-e` is `-A`, elsewhere a dash would make it so.
		environments: [...(platform === "darwin" ? ["-E", "-ww"] : ["eww"]), ...columns(["pid", "command"])],
	};
}

/** POSIX: what follows `=` is the header up to the argument's end, so each column is an argument. */
function columns(names: readonly string[]): string[] {
	return names.flatMap((name) => ["-o", `${name}=`]);
}

function sessionColumn(platform: string): string {
	return platform === "darwin" || platform === "openbsd" ? "sess" : "sid";
}

/** One line a process, as the columns above; a line that has no start time (a zombie, on some systems) is left out. */
export function parseProcesses(text: string): PsProcess[] {
	return text.split("\n").flatMap((line) => {
		const match = LINE.exec(line);
		if (match === null) return [];
		const [, pid, parent, group, session = "", state = "", uid, name = "", month = "", ...rest] = match;
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
		};
		return [{ info, words: (rest[5] ?? "").trimEnd() }];
	});
}

/** A session is named by its leader's pid. 0 and `-` say nothing; an address is hexadecimal, or longer than a pid. */
function sessionOf(text: string): number | undefined {
	const session = /^\d{1,9}$/.test(text) ? Number(text) : 0;
	return session > 0 ? session : undefined;
}

/** From lines of `pid command… NAME=value NAME=value`: pid → what stands behind the pid. */
export function parseCommandLines(text: string): Map<number, string> {
	const lines = text.split("\n").map((line) => /^\s*(\d+)\s(.*)$/.exec(line));
	return new Map(lines.flatMap((match) => (match === null ? [] : [[Number(match[1]), (match[2] ?? "").trimEnd()]])));
}

/** A word of the command is no variable. A process that has become another program meanwhile is read whole. */
export function environmentBehind(words: string, line: string): Record<string, string> {
	const environment: Record<string, string> = {};
	const text = line.startsWith(words) ? line.slice(words.length) : line;
	for (const pair of text.split(/(?:^|\s)(?=[A-Za-z_]\w*=)/)) {
		const match = /^([A-Za-z_]\w*)=(.*)$/.exec(pair);
		if (match !== null) environment[match[1] ?? ""] ??= match[2] ?? "";
	}
	return environment;
}
