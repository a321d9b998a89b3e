/** Which kept state an undo goes back to. Pure. */
import type { KeptState } from "../../core/schemas/kept-tree.ts";

/**
 * Those before messages, the newest first. After an undo only those are left that are not above the state it went back to: so
 * the next undo goes on from there, and does not take the first one back.
 */
export function undoable(states: readonly KeptState[]): KeptState[] {
	const newest = states.at(-1);
	const top = newest?.why.is === "undo" ? newest.why.to : Number.POSITIVE_INFINITY;
	return states.filter(({ id, why }) => why.is === "message" && id <= top).reverse();
}
