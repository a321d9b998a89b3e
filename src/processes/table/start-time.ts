/**
 * When a process started, as its reader tells it: `8861` is clock ticks since the system's start (/proc), `ps:1795822342`
 * is seconds since the epoch (ps). Times of two readers cannot be compared: they count as two processes, so that in doubt
 * none is signalled.
 */

/** The clock that a start time is read from. */
export type Clock = "ticks" | "seconds";

const PREFIX = "ps:";
// Linux's ps adds ticks to the time of boot, which moves when the clock is set: so one process can show two seconds.
const SLACK_SECONDS = 1;

export function secondsAsStartTime(seconds: number): string {
	return `${PREFIX}${seconds}`;
}

export function clockOf(startTime: string): Clock {
	return startTime.startsWith(PREFIX) ? "seconds" : "ticks";
}

/** Times of ps that differ by a second count as the same. */
export function isSameStart(a: string, b: string): boolean {
	if (a === b) return true;
	return clockOf(a) === "seconds" && clockOf(b) === "seconds" && Math.abs(numberOf(a) - numberOf(b)) <= SLACK_SECONDS;
}

/** True when one reader has told both, and they differ. */
export function isOtherStart(a: string, b: string): boolean {
	return clockOf(a) === clockOf(b) && !isSameStart(a, b);
}

/** False when it cannot be told. */
export function hasStartedBefore(a: string, b: string): boolean {
	if (clockOf(a) !== clockOf(b)) return false;
	return numberOf(a) < numberOf(b) - (clockOf(a) === "seconds" ? SLACK_SECONDS : 0);
}

function numberOf(startTime: string): number {
	return Number(clockOf(startTime) === "seconds" ? startTime.slice(PREFIX.length) : startTime);
}
