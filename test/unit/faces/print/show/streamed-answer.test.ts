import { expect, test } from "vitest";
import type { ModelDelta } from "../../../../../src/core/model/model.ts";
import { StreamedAnswer } from "../../../../../src/faces/print/show/live-turns.ts";
import { storyLines } from "../../../../../src/faces/print/story-lines.ts";
import { liveView } from "./story-view.ts";

const text = (written: string, block?: number): ModelDelta => ({
	kind: "text",
	text: written,
	...(block !== undefined && { block }),
});
const thinking = (written: string): ModelDelta => ({ kind: "thinking", text: written });

test("rows are told when they are full, and lines when they have ended", () => {
	const answer = new StreamedAnswer(liveView({ columns: 20 }));
	expect(answer.add(text("One two three"))).toEqual([]);
	expect(answer.add(text(" four five six"))).toEqual(["One two three four"]);
	expect(answer.add(text("\n\n\n- li"))).toEqual(["five six"]);
	expect(answer.add(text("st\nend\n"))).toEqual(["", "", "- list", "end"]);
	expect(answer.finish({ type: "text", text: "One two three four five six\n\n\n- list\nend\n" })).toEqual([]);
});

test("without a terminal only whole lines are told", () => {
	const answer = new StreamedAnswer(liveView());
	expect(answer.add(text("word ".repeat(100)))).toEqual([]);
	expect(answer.add(text("\n"))).toHaveLength(1);
});

test("thinking and text are told one after the other, and commands not at all", () => {
	const answer = new StreamedAnswer(liveView());
	expect(answer.add(thinking("First.\nThe"))).toEqual(["(thinking) First."]);
	expect(answer.add(thinking("n."))).toEqual([]);
	expect(answer.add(text("I look."))).toEqual(["           Then."]);
	expect(answer.add({ kind: "command", text: "ls\nls" })).toEqual(["I look."]);
	expect(answer.finish({ type: "thinking", thinking: "First.\nThen.", signature: "" })).toEqual([]);
	expect(answer.finish({ type: "text", text: "I look." })).toEqual([]);
});

test("of the recorded answer what was not told is told, and nothing is taken for told that was not", () => {
	const answer = new StreamedAnswer(liveView());
	expect([answer.hasTold, answer.finish({ type: "text", text: "x" })]).toEqual([false, undefined]);
	answer.add(text("one\ntw", 0));
	expect(answer.hasTold).toBe(true);
	expect(answer.finish({ type: "thinking", thinking: "one\ntw", signature: "" })).toBeUndefined();
	expect(answer.finish({ type: "text", text: "another" })).toBeUndefined();
	expect(answer.finish({ type: "text", text: "one\ntwo\nthree" })).toEqual(["two", "three"]);
	expect(answer.finish({ type: "text", text: "one\ntwo\nthree" })).toBeUndefined();
});

test("however an answer is cut into pieces, its rows are those of the recorded one", () => {
	const whole =
		"A long first line that is broken, and\ta tab.\n\n日本語のとても長い行です、そして続く。 \u001b[31mred\u001b[0m\nlast";
	for (const columns of [undefined, 12, 20, 33]) {
		const view = liveView({ columns });
		const recorded = storyLines({ is: "said", block: { type: "text", text: whole } }, view);
		for (let size = 1; size <= 9; size++) {
			const answer = new StreamedAnswer(view);
			const rows: string[] = [];
			for (let at = 0; at < whole.length; at += size) rows.push(...answer.add(text(whole.slice(at, at + size))));
			expect([...rows, ...(answer.finish({ type: "text", text: whole }) ?? [])]).toEqual(recorded);
		}
	}
});
