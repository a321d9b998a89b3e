/** True when no key and no string of a JSON value has half a surrogate pair, which the service does not accept. */
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

/**
 * The deepest nesting of a value in messages and files; the input of a model's call may have some hundreds of levels. JSON.parse
 * reads any depth, but what walks a value, or writes it again, calls itself for each level, and some thousands use up the stack.
 */
export const MAX_LEVELS = 1_000;

export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (levels === 0) return true;
	if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1));
	for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true; // makes no list
	return false;
}
