/** Which line of a file counts although no line feed ends it, and how long a line may be. */

/** A longer line is not read, so that a damaged file cannot fill the memory. An answer may have 64 MiB, and more as JSON. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** True for a line that lost only its line feed: what is left of a torn object is never JSON. */
export function isWhole(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null;
	} catch {
		return false;
	}
}
