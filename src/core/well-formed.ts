/** Text without halves of surrogate pairs, which the service does not take. Pure. */

/** True when all keys and strings of a JSON value are well-formed. */
export function isWellFormed(value: unknown): boolean {
	if (typeof value === "string") return value.isWellFormed();
	if (Array.isArray(value)) return value.every(isWellFormed);
	if (!isObject(value)) return true;
	return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/** The value with U+FFFD for each half; the same value when there is none. */
export function wellFormed<T>(value: T): T {
	return isWellFormed(value) ? value : (repaired(value) as T);
}

function repaired(value: unknown): unknown {
	if (typeof value === "string") return value.toWellFormed();
	if (Array.isArray(value)) return value.map(repaired);
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), repaired(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
