/**
 * The keys of a run's files are written in snake_case, as those of the Messages API are; in memory and on the wire they
 * are in camelCase. This is the one place where they change. What a message contains is the service's, and stays as it is.
 * A file of format 1 has keys in camelCase, too: they stay as they are when they are read.
 */
import { isDeeper, MAX_LEVELS } from "../core/json-value.ts";

/** A message's content, with the input of calls and blocks that nobody here knows. */
const FOREIGN = "content";
const MAX_REMEMBERED = 1_000; // a damaged file may have any number of keys

/** `value` with its keys as they are written: `{ costUsd: 1 }` → `{ cost_usd: 1 }`. */
export function toFile(value: object): object {
	return renamed(value, fileKey);
}

/**
 * `value` with its keys as they are in memory: `{ cost_usd: 1 }` → `{ costUsd: 1 }`. Undefined for one that is nested
 * too deeply to be walked.
 */
export function fromFile(value: unknown): unknown {
	return isDeeper(value, MAX_LEVELS) ? undefined : withKeys(value, memoryKey);
}

/** `costUsd` → `cost_usd`. */
export const fileKey = remembering((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const memoryKey = remembering((key) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

/** `spell`, which remembers its results: the same few keys come in every line. */
function remembering(spell: (key: string) => string): (key: string) => string {
	const known = new Map<string, string>();
	const remember = (key: string) => {
		const spelled = spell(key);
		if (known.size < MAX_REMEMBERED) known.set(key, spelled);
		return spelled;
	};
	return (key) => known.get(key) ?? remember(key);
}

function withKeys(value: unknown, rename: (key: string) => string): unknown {
	if (typeof value !== "object" || value === null) return value;
	return Array.isArray(value) ? value.map((item) => withKeys(item, rename)) : renamed(value, rename);
}

function renamed(value: object, rename: (key: string) => string): object {
	const result: Record<string, unknown> = {};
	for (const key of Object.keys(value)) {
		const inner: unknown = value[key as keyof typeof value];
		result[rename(key)] = key === FOREIGN || typeof inner !== "object" ? inner : withKeys(inner, rename);
	}
	return result;
}
