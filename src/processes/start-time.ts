/**
 * When a process started, as its reader tells it: `8861` is clock ticks since the system's start (/proc), `ps:1795822342`
 * seconds since the epoch (ps). What comes from two readers cannot be compared: such processes count as different ones,
 * so that in doubt none is signalled.
 */

export type Clock = "ticks" | "seconds";

const PREFIX = "ps:";
// Linux's ps adds the ticks to the time of the start, which moves when the clock is set: one process, two seconds.
const SLACK_SECONDS = 1;

export function secondsAsStartTime(seconds: number): string {
	return `${PREFIX}${seconds}`;
}

export function clockOf(startTime: string): Clock {
	return startTime.startsWith(PREFIX) ? "seconds" : "ticks";
}

export function isSameStart(a: string, b: string): boolean {
	if (a === b) return true;
	return clockOf(a) === "seconds" && clockOf(b) === "seconds" && Math.abs(numberOf(a) - numberOf(b)) <= SLACK_SECONDS;
}

/** Both are told by one reader, and differ. */
export function isOtherStart(a: string, b: string): boolean {
	return clockOf(a) === clockOf(b) && !isSameStart(a, b);
}

/** False in doubt. */
export function hasStartedBefore(a: string, b: string): boolean {
	if (clockOf(a) !== clockOf(b)) return false;
	return numberOf(a) < numberOf(b) - (clockOf(a) === "seconds" ? SLACK_SECONDS : 0);
}

function numberOf(startTime: string): number {
	return Number(clockOf(startTime) === "seconds" ? startTime.slice(PREFIX.length) : startTime);
}
