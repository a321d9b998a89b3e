/**
 * `20261127-201530-k3f9`: when the run began, as the user's clock showed it (local time), and four random characters,
 * since several runs may begin in one second.
 */
export const RUN_ID = /\d{8}-\d{6}-[a-z0-9]+/;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

const WHOLE = new RegExp(`^${RUN_ID.source}$`);

export function isRunId(text: string): boolean {
	return WHOLE.test(text);
}

/** The random characters at the end: `k3f9`. They name a run, as long as no other has the same. */
export function shortRunId(run: string): string {
	return run.slice(run.lastIndexOf("-") + 1);
}

/** What each run may be called: by its last characters, unless another run ends or begins with the same. */
export function namesOfRuns(runs: readonly string[]): ReadonlyMap<string, string> {
	const ends = new Map<string, number>();
	const lengths = new Set<number>();
	for (const short of runs.map(shortRunId)) {
		ends.set(short, (ends.get(short) ?? 0) + 1);
		lengths.add(short.length);
	}
	const beginnings = new Set(runs.flatMap((run) => [...lengths].map((length) => run.slice(0, length))));
	return new Map(
		runs.map((run) => {
			const short = shortRunId(run);
			return [run, ends.get(short) === 1 && !beginnings.has(short) ? short : run];
		}),
	);
}

/** `random` gives numbers from 0 up to, not including, 1. */
export function newRunId(now: Date, random: () => number): string {
	const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(twoDigits).join("");
	const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(twoDigits).join("");
	const letters = Array.from({ length: 4 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
	return `${date}-${time}-${letters.join("")}`;
}

function twoDigits(n: number): string {
	return String(n).padStart(2, "0");
}

/** A longer text is no name of a run. */
export const MAX_NAME_CHARS = 100;

/** What a person calls a run: in one line, without blanks at its ends; undefined for one that is too long. */
export function runName(text: string): string | undefined {
	const name = text
		.replace(/[\s\0-\x1f\x7f-\x9f]+/g, " ")
		.trim()
		.toWellFormed();
	return name.length > MAX_NAME_CHARS ? undefined : name;
}
