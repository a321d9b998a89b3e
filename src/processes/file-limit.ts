/** How many files a process may have open, as Linux tells it. Node raises its own soft limit to the hard one at its start. */
import { readFileSync } from "node:fs";

export interface FileLimit {
	readonly soft: number;
	readonly hard: number;
}

/** Undefined where it cannot be read. */
export function readFileLimit(pid: number | "self"): FileLimit | undefined {
	try {
		return parseFileLimit(readFileSync(`/proc/${pid}/limits`, "latin1"));
	} catch {
		return undefined; // not Linux, not ours, or gone
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
 * The soft limit that commands get back: of who started us, before Node raised ours. Programs that look at every
 * possible descriptor, or use select(2), are made for it. Undefined when there is nothing to give back.
 */
export function softLimitOfStarter(starter: FileLimit | undefined, own: FileLimit | undefined): number | undefined {
	if (starter === undefined || own === undefined) return undefined;
	return starter.soft < own.soft ? starter.soft : undefined;
}
