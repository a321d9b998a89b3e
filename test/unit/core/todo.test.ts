import { expect, test } from "vitest";
import { changedTodo, describeTodo, type TodoItem } from "../../../src/core/todo.ts";

const item = (text: string, is: TodoItem["is"] = "open"): TodoItem => ({ text, is });
const PLAN = [item("a", "done"), item("b", "doing"), item("c")];

test("a plan is set from lines, whose marks of lists are none of their text", () => {
	const lines = [
		"- read  the\tcode",
		" 2. [x] write",
		"* [>] test",
		"[ ] ship",
		"10) rest",
		"",
		"  ",
		"-x stays",
		"[y] too",
	];
	expect(changedTodo(PLAN, { do: "set", items: lines })).toEqual({
		is: "changed",
		items: [
			...[item("read the code"), item("write", "done"), item("test", "doing"), item("ship"), item("rest")],
			...[item("-x stays"), item("[y] too")],
		],
	});
});

test("what is being done now takes the place of what was, and what is done or opened leaves it", () => {
	expect(changedTodo(PLAN, { do: "doing", numbers: [3] })).toEqual({
		is: "changed",
		items: [item("a", "done"), item("b"), item("c", "doing")],
	});
	expect(changedTodo(PLAN, { do: "done", numbers: [2, 3] })).toMatchObject({
		items: PLAN.map(({ text }) => item(text, "done")),
	});
	expect(changedTodo(PLAN, { do: "open", numbers: [1] })).toMatchObject({
		items: [item("a"), item("b", "doing"), item("c")],
	});
});

test("a plan has bounds, and what does not fit is refused with what to do", () => {
	const many = Array.from({ length: 48 }, (_, n) => `${n}`);
	expect(changedTodo(PLAN, { do: "add", items: many })).toMatchObject({
		is: "refused",
		reason: expect.stringContaining("50"),
	});
	expect(changedTodo(PLAN, { do: "set", items: ["", " "] })).toMatchObject({ is: "refused" });
	expect(changedTodo(PLAN, { do: "done", numbers: [1, 4] })).toEqual({
		is: "refused",
		reason: "no item 4: the plan has 3",
	});
	expect(changedTodo(PLAN, { do: "done", numbers: [0] })).toMatchObject({ is: "refused" });
	expect(changedTodo([], { do: "done", numbers: [1] })).toMatchObject({
		reason: expect.stringContaining("agent todo set"),
	});
	const cut = changedTodo([], { do: "set", items: ["x".repeat(5_000)] });
	expect(cut).toEqual({ is: "changed", items: [item(`${"x".repeat(199)}…`)] });
});

const plan = (...marks: TodoItem["is"][]): TodoItem[] => marks.map((is, n) => ({ text: `step ${n + 1}`, is }));

test.each([
	[plan("done", "doing", "open"), "plan 1/3: step 2"],
	[plan("doing", "doing", "open"), "plan 0/3: step 1; step 2"],
	[plan("done", "open", "open"), "plan 1/3, next: step 2"],
	[plan("done", "done"), "plan 2/2"],
	[[], undefined],
	[undefined, undefined],
])("a plan is told by how far it is, and what is being done or comes next", (items, words) => {
	expect(describeTodo(items)).toBe(words);
});
