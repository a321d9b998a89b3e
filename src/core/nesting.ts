/**
 * How deep a value is nested. JSON.parse reads any depth, but what walks a value, or writes it again, calls itself for each
 * level, and some thousands of levels use up the stack.
 */

/** In messages and files; the input of a model's call may have some hundreds. */
export const MAX_LEVELS = 1_000;

export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
