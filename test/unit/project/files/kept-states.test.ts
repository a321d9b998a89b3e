import { expect, test } from "vitest";
import type { KeptState } from "../../../../src/core/schemas/kept-tree.ts";
import { undoable } from "../../../../src/project/files/tree-store.ts";

const state = (id: number, to?: number): KeptState => ({
	...{ id, at: id, top: "/p", tree: "", facts: "" },
	why: to === undefined ? { is: "message", text: `m${id}` } : { is: "undo", to },
});
const ids = (...states: KeptState[]) => undoable(states).map(({ id }) => id);

test("an undo goes to the newest message, and after an undo on from there", () => {
	expect(ids(state(1), state(2), state(3))).toEqual([3, 2, 1]);
	expect(ids(state(1), state(2), state(3), state(4, 2))).toEqual([2, 1]);
	expect(ids(state(1), state(2), state(3), state(4, 2), state(5, 1))).toEqual([1]);
});

test("an undo that was taken back, and a new message, make the later ones count again", () => {
	expect(ids(state(1), state(2), state(3, 1), state(4, 3))).toEqual([2, 1]);
	expect(ids(state(1), state(2), state(3, 1), state(4))).toEqual([4, 2, 1]);
	expect(ids()).toEqual([]);
});
