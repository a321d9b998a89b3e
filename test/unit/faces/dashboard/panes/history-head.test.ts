import { expect, test } from "vitest";
import type { TodoItem } from "../../../../../src/core/todo.ts";
import { titleLine } from "../../../../../src/faces/dashboard/panes/transcript/transcript.ts";
import { joined, runOf } from "../../../core/run-of.ts";

function titleOf(todo: TodoItem[], width: number): string {
	const agent = runOf(joined("1"), { event: "todo_changed", at: 1, agent: "1", items: todo }).agents["1"];
	if (agent === undefined) throw new Error("no agent");
	return titleLine({ agent, name: "", now: 1_000, width })
		.map(({ text }) => text)
		.join("");
}

test("the title of a history has the agent's plan, where there is room for it", () => {
	const plan: TodoItem[] = [
		{ text: "read", is: "done" },
		{ text: `write \u001b[31m${"the test ".repeat(9)}`, is: "doing" },
	];
	expect(titleOf(plan, 100)).toMatch(/^1 ─ \S+.* ─ plan 1\/2: write the test the test the test the … ─ pid 100$/);
	expect(titleOf(plan, 30)).not.toContain("plan");
	expect(titleOf([], 100)).not.toContain("plan");
});
