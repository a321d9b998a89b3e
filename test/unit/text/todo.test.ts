import { expect, test } from "vitest";
import { describeTodo, type TodoItem, todoLines } from "../../../src/core/todo.ts";

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

test("a plan is listed with numbers and marks", () => {
	expect(todoLines(plan("done", "doing", "open"))).toEqual(["1 [x] step 1", "2 [>] step 2", "3 [ ] step 3"]);
	expect(todoLines(plan(...Array(10).fill("open")))[0]).toBe(" 1 [ ] step 1");
});
