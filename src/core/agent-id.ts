/**
 * An agent's id is its path in the tree: the root is `1`, its second child `1.2`. The path alone tells parent, depth
 * and subtree, so none of them is stored or passed.
 */

export type AgentId = string;

export const ROOT: AgentId = "1";

/** `1.2.3` → `1.2`; the root has none. */
export function parentOf(id: AgentId): AgentId | undefined {
	const dot = id.lastIndexOf(".");
	return dot < 0 ? undefined : id.slice(0, dot);
}

/** Levels below the root: `1` → 0, `1.2` → 1. */
export function depthOf(id: AgentId): number {
	return id.split(".").length - 1;
}

/** True for `root` itself and all below it. */
export function isWithin(id: AgentId, root: AgentId): boolean {
	return id === root || id.startsWith(`${root}.`);
}

/** `1.2.3` → [`1.2.3`, `1.2`, `1`]. */
export function withAncestors(id: AgentId): AgentId[] {
	const parent = parentOf(id);
	return parent === undefined ? [id] : [id, ...withAncestors(parent)];
}

/** Tree order: parents before children, siblings by number (`1.2` before `1.10`). */
export function compareAgentIds(a: AgentId, b: AgentId): number {
	const left = a.split(".");
	const right = b.split(".");
	for (let i = 0; i < Math.min(left.length, right.length); i++) {
		const difference = Number(left[i]) - Number(right[i]);
		if (difference !== 0) return difference;
	}
	return left.length - right.length;
}

/** `1`, `1.2`, `1.2.30`; not `0`, `1.`, `01`. */
export function isAgentId(text: string): boolean {
	return /^[1-9]\d*(\.[1-9]\d*)*$/.test(text);
}
