/** What `read` gives; undefined where it throws. For reads of which each failure means that something is gone, or may not be looked at. */
export function ifThere<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
