/** What a run leaves of the machine, as variables: AGENTREE_MAX_OUTPUT=2G, AGENTREE_KEEP_FREE_DISK=1G, AGENTREE_KEEP_FREE_MEMORY=10%. */
import { AgentreeError } from "../core/errors.ts";
import { type Bounds, DEFAULT_BOUNDS } from "../core/shortage.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Throws AgentreeError("usage"). An empty variable is one that is not set. */
export function readBounds(env: Readonly<Record<string, string | undefined>>): Bounds {
	return {
		maxOutputBytes: readBytes(env, "AGENTREE_MAX_OUTPUT") ?? DEFAULT_BOUNDS.maxOutputBytes,
		keepFreeDiskBytes: readBytes(env, "AGENTREE_KEEP_FREE_DISK") ?? DEFAULT_BOUNDS.keepFreeDiskBytes,
		keepFreeMemoryPercent: readPercent(env, "AGENTREE_KEEP_FREE_MEMORY") ?? DEFAULT_BOUNDS.keepFreeMemoryPercent,
	};
}

function readBytes(env: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
	const text = env[name];
	if (text === undefined || text === "") return undefined;
	const match = /^(\d{1,12})([KMGT]?)i?B?$/i.exec(text);
	const unit = UNITS[match?.[2]?.toUpperCase() ?? ""];
	if (match === null || unit === undefined)
		throw new AgentreeError("usage", `${name} must be a size such as 500M or 2G, not "${text}"`);
	return Number(match[1]) * unit;
}

function readPercent(env: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
	const text = env[name];
	if (text === undefined || text === "") return undefined;
	const percent = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
	if (!(percent <= 100)) throw new AgentreeError("usage", `${name} must be a percentage such as 10%, not "${text}"`);
	return percent;
}
