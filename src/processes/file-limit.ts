/** How many files a process may have open, as Linux tells it. At its start Node raises its own soft limit to the hard one. */
import { readFileSync } from "node:fs";

interface FileLimit {
	readonly soft: number;
	readonly hard: number;
}

/** The limit of a process; undefined where it cannot be read. */
export function readFileLimit(pid: number | "self"): FileLimit | undefined {
	try {
		return parseFileLimit(readFileSync(`/proc/${pid}/limits`, "latin1"));
	} catch {
		return undefined; // not Linux, another user's process, or over
	}
}

/** proc(5): `Max open files            1024                 524288               files`. */
export function parseFileLimit(text: string): FileLimit | undefined {
	const [, soft, hard] = /^Max open files +(\d+|unlimited) +(\d+|unlimited)/m.exec(text) ?? [];
	if (soft === undefined || hard === undefined) return undefined;
	const number = (value: string) => (value === "unlimited" ? Number.POSITIVE_INFINITY : Number(value));
	return { soft: number(soft), hard: number(hard) };
}

/**
 * The soft limit that commands get: that of the process which started this one, before Node raised it. Programs that try
 * every possible descriptor, or use select(2), need the lower one. Undefined when Node has not raised it.
 */
export function softLimitOfStarter(starter: FileLimit | undefined, own: FileLimit | undefined): number | undefined {
	if (starter === undefined || own === undefined) return undefined;
	return starter.soft < own.soft ? starter.soft : undefined;
}
