/** The plan that an agent keeps with `agent todo`, and what changes it. Pure. */
export type { TodoItem } from "./schemas/run-state.ts";

import { preview } from "./preview.ts";
import type { TodoItem } from "./schemas/run-state.ts";

export const MAX_TODO_ITEMS = 50;
/** A longer item is cut. */
const MAX_CHARS = 200;

export type TodoChange =
	| { readonly do: "list" | "clear" }
	| { readonly do: "set" | "add"; readonly items: readonly string[] }
	/** Counted from 1. */
	| { readonly do: TodoItem["is"]; readonly numbers: readonly number[] };

type ChangedTodo =
	| { readonly is: "changed"; readonly items: readonly TodoItem[] }
	| { readonly is: "refused"; readonly reason: string };

export function changedTodo(items: readonly TodoItem[], change: TodoChange): ChangedTodo {
	switch (change.do) {
		case "list":
			return { is: "changed", items };
		case "clear":
			return { is: "changed", items: [] };
		case "set":
			return withinBounds(change.items.flatMap(itemOf));
		case "add":
			return added(items, change.items.flatMap(itemOf));
		case "open":
		case "doing":
		case "done":
			return marked(items, change.do, change.numbers);
	}
}

/** `- [x] read the code` is an item that is done: a mark of a list is none of its text. */
function itemOf(line: string): TodoItem[] {
	const [, box = " ", rest = ""] = /^\s*(?:(?:[-*+]|\d{1,2}[.)])\s+)?(?:\[([ xX>])\]\s)?(.*)$/s.exec(line) ?? [];
	const text = preview(rest, MAX_CHARS);
	return text === "" ? [] : [{ text, is: box === " " ? "open" : box === ">" ? "doing" : "done" }];
}

function added(before: readonly TodoItem[], items: readonly TodoItem[]): ChangedTodo {
	return withinBounds(items.length === 0 ? [] : [...before, ...items]);
}

function withinBounds(items: readonly TodoItem[]): ChangedTodo {
	if (items.length === 0) return { is: "refused", reason: "no items: give them as arguments, or as lines on stdin" };
	if (items.length <= MAX_TODO_ITEMS) return { is: "changed", items };
	return { is: "refused", reason: tooManyTodoItems(items.length) };
}

export function tooManyTodoItems(count: number): string {
	return `a plan can have at most ${MAX_TODO_ITEMS} items, not ${count}`;
}

/** What was being done before is open again, when others are now. */
function marked(items: readonly TodoItem[], is: TodoItem["is"], numbers: readonly number[]): ChangedTodo {
	if (items.length === 0)
		return { is: "refused", reason: 'there is no plan yet: agent todo set "first step" "second step"' };
	const wrong = numbers.find((number) => number > items.length || number < 1);
	if (wrong !== undefined) return { is: "refused", reason: `no item ${wrong}: the plan has ${items.length}` };
	const rest = (item: TodoItem): TodoItem => (is === "doing" && item.is === "doing" ? { ...item, is: "open" } : item);
	return {
		is: "changed",
		items: items.map((item, at) => (numbers.includes(at + 1) ? { ...item, is } : rest(item))),
	};
}

/** The plan of an agent as people, and its model, read it. Pure. */

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
