/** How much of the machine a run may use: AGENTREE_MAX_OUTPUT=2G, AGENTREE_KEEP_FREE_DISK=1G, AGENTREE_KEEP_FREE_MEMORY=10%. */
import { type Bounds, DEFAULT_BOUNDS } from "../../core/limits/shortage.ts";
import { readVariables, type VariableRow } from "./variables.ts";

export const BOUND_VARIABLES: readonly VariableRow<keyof Bounds>[] = [
	{ key: "maxOutputBytes", variable: "AGENTREE_MAX_OUTPUT", kind: "bytes" },
	{ key: "keepFreeDiskBytes", variable: "AGENTREE_KEEP_FREE_DISK", kind: "bytes" },
	{ key: "keepFreeMemoryPercent", variable: "AGENTREE_KEEP_FREE_MEMORY", kind: "percent" },
];

/** The bounds that the environment sets, with defaults for the others. Throws AgentreeError("usage"). */
export function readBounds(env: Readonly<Record<string, string | undefined>>): Bounds {
	return readVariables(env, BOUND_VARIABLES, DEFAULT_BOUNDS);
}
