/**
 * Shapes of what is read from files, checked by hand. A file may be damaged, of another version, or made by an agent:
 * what a reader relies on is checked once, here, so that nothing behind it throws or counts with a text. Keys that are
 * not named may be anything: a version that comes later may write more.
 */
import { type AgentId, isAgentId, isWithin, ROOT } from "../core/agent.ts";

export type Fits = (value: unknown) => boolean;
export type Shape = Readonly<Record<string, Fits>>;

const LATEST_MS = 8.64e15; // beyond, a Date is invalid

export const aText: Fits = (value) => typeof value === "string";
/** JSON has no NaN, but `1e999` is read as Infinity. */
export const aNumber: Fits = (value) => Number.isFinite(value);
export const aTime: Fits = (value) => typeof value === "number" && Math.abs(value) <= LATEST_MS;
export const aPid: Fits = (value) => Number.isSafeInteger(value) && (value as number) > 0;
export const anAgent: Fits = (value) => isPathOfAgent(value);

export function optional(fits: Fits): Fits {
	return (value) => value === undefined || fits(value);
}

export function orNull(fits: Fits): Fits {
	return (value) => value === null || fits(value);
}

export function listOf(fits: Fits): Fits {
	return (value) => Array.isArray(value) && value.every(fits);
}

export function objectOf(shape: Shape): Fits {
	return (value) => isObject(value) && misfits(value, shape).length === 0;
}

/** One of several kinds, told apart by a text under `key`. A kind that is not known does not fit. */
export function oneOf(key: string, shapes: Readonly<Record<string, Shape>>): Fits {
	return (value) => {
		if (!isObject(value)) return false;
		const kind = value[key];
		const shape = typeof kind === "string" && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
		return shape !== undefined && misfits(value, shape).length === 0;
	};
}

/** The keys whose values do not fit, also those that are missing. */
export function misfits(value: Readonly<Record<string, unknown>>, shape: Shape): string[] {
	return Object.entries(shape).flatMap(([key, fits]) => (fits(value[key]) ? [] : [key]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** No path is that deep; one that is would be walked level by level. */
const MAX_PATH_CHARS = 1_000;

function isPathOfAgent(value: unknown): value is AgentId {
	return typeof value === "string" && value.length <= MAX_PATH_CHARS && isAgentId(value) && isWithin(value, ROOT);
}
