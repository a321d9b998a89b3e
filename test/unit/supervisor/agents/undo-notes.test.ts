import { expect, test } from "vitest";
import type { KeptState } from "../../../../src/core/schemas/kept-tree.ts";
import { undoNote } from "../../../../src/supervisor/agents/mailbox.ts";

const kept = (id: number, why: KeptState["why"]): KeptState => ({ id, at: id, why, top: "/p", tree: "t", facts: "f" });
const message = (id: number, text: string) => kept(id, { is: "message", text });
const undo = (id: number, to: number, files?: number) =>
	kept(id, { is: "undo", to, ...(files !== undefined && { files }) });
const TALK = [message(1, ""), message(2, "fix [it]")];
const END = "What you know of their contents may be out of date.]";

test("what a person has put back is told by how many files, and which message they are as before", () => {
	expect(undoNote([...TALK, undo(3, 2, 1)], 2)).toBe(
		`[I used undo to restore 1 file to its state before my message "fix it" (undo 3). ${END}`,
	);
	expect(undoNote([...TALK, undo(3, 2, 1), undo(4, 1, 5)], 2)).toBe(
		`[I used undo to restore 5 files to their state at the beginning (undo 4). ${END}`,
	);
	expect(undoNote([...TALK, undo(3, 1)], 2)).toContain(
		"undo to restore files to their state at the beginning (undo 3)",
	);
});

test("an undo of before the newest message is not told, and neither is one that was taken back, or of what the agent does not know", () => {
	expect(undoNote(TALK, 2)).toBeUndefined();
	expect(undoNote([...TALK, undo(3, 1), message(4, "next")], 4)).toBeUndefined();
	expect(undoNote([...TALK, undo(3, 1), undo(4, 3)], 2)).toBeUndefined();
	expect(undoNote([...TALK, undo(3, 1), undo(4, 1), undo(5, 4, 2)], 2)).toContain(
		"2 files to their state before an undo",
	);
	expect(undoNote([...TALK, undo(3, 2)], 1)).toBeUndefined();
	expect(undoNote([undo(3, 2, 1)], 2)).toContain("1 file to an earlier state (undo 3)");
});
