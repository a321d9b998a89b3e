/** The plan of an agent as people, and its model, read it. Pure. */
import type { TodoItem } from "../core/todo.ts";

const MARKS: Readonly<Record<TodoItem["is"], string>> = { open: " ", doing: ">", done: "x" };

/** `1 [x] read the code`: a line for each item. */
export function todoLines(items: readonly TodoItem[]): string[] {
	const width = String(items.length).length;
	return items.map(({ text, is }, at) => `${String(at + 1).padStart(width)} [${MARKS[is]}] ${text}`);
}

/** `plan 3/7: write the test`, `plan 3/7, next: write the test`, `plan 7/7`; `undefined` without a plan. */
export function describeTodo(items: readonly TodoItem[] | undefined): string | undefined {
	if (items === undefined || items.length === 0) return undefined;
	const plan = `plan ${items.filter(({ is }) => is === "done").length}/${items.length}`;
	const doing = items.filter(({ is }) => is === "doing");
	if (doing.length > 0) return `${plan}: ${doing.map(({ text }) => text).join("; ")}`;
	const next = items.find(({ is }) => is === "open");
	return next === undefined ? plan : `${plan}, next: ${next.text}`;
}
