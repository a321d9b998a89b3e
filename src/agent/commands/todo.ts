/**
 * `agent todo`, in a command of an agent: it changes that agent's plan, and prints what became of it. A bundle of its own, which
 * loads no schemas and nothing of the command line: an agent calls it often.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { AgentreeError, usageError } from "../../core/errors.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import {
	describeTodo,
	MAX_TODO_ITEMS,
	type TodoChange,
	type TodoItem,
	todoLines,
	tooManyTodoItems,
} from "../../core/todo.ts";
import { printLine } from "../../terminal/print.ts";
import { stdinText } from "../../terminal/stdin.ts";
import { isTooManyConnections } from "../../wire/connection.ts";
import { askOwnSupervisor } from "./supervisor-request.ts";

const ANSWER_MS = 10_000;
const MOST_SENT_CHARS = 800; // of an item
const MOST_TRIES = 100;
const RETRY_MS = 50;

/** `args`: behind the word `todo`. Undefined when its help is asked for, which the command line has. Throws AgentreeError. */
export async function runTodo(
	args: readonly string[],
	{ socket }: Pick<SupervisorAddress, "socket">,
): Promise<number | undefined> {
	if (args.includes("--help") || args.includes("-h")) return undefined;
	const change = await changeOf(args);
	const items = await askInTurn(socket, change);
	const lines = change.do === "list" || change.do === "set" ? todoLines(items) : [];
	return printLine([...lines, describeTodo(items) ?? "no plan"].join("\n"));
}

async function changeOf([word, ...rest]: readonly string[]): Promise<TodoChange> {
	switch (word) {
		case undefined:
		case "list":
		case "clear":
			if (rest.length > 0)
				throw usageError(`agent todo ${word} works on the whole plan and takes no arguments; nothing was changed`);
			return { do: word ?? "list" };
		case "set":
		case "add":
			return { do: word, items: itemsOf(rest.length > 0 ? rest : (await stdinText()).split("\n")) };
		case "open":
		case "doing":
		case "done":
			return { do: word, numbers: numbersOf(word, rest) };
		default:
			throw usageError(
				`agent todo has no "${word}"; use set, add, doing N, done N, open N, clear, or nothing to list the plan`,
			);
	}
}

/** Not more than a supervisor hears: it cuts each anyhow. */
function itemsOf([first = "", ...others]: readonly string[]): string[] {
	const texts = (first === "--" ? others : [first, ...others]).map((text) => text.trim()).filter((text) => text !== "");
	if (texts.length > MAX_TODO_ITEMS) throw new AgentreeError("refused", tooManyTodoItems(texts.length));
	return texts.map((text) => text.slice(0, MOST_SENT_CHARS));
}

function numbersOf(word: string, given: readonly string[]): number[] {
	const texts = given.flatMap((text) => text.split(",")).filter((text) => text !== "");
	const wrong = texts.find((text) => !/^#?\d{1,6}$/.test(text));
	if (wrong !== undefined || texts.length === 0)
		throw usageError(`agent todo ${word} takes item numbers, as in agent todo ${word} 2; see agent todo`);
	return texts.map((text) => Number(text.replace("#", "")));
}

/** Of many at the same time, some are refused before they have said anything: they come again. */
async function askInTurn(socket: string, change: TodoChange): Promise<readonly TodoItem[]> {
	for (let tries = 1; ; tries++) {
		try {
			return await ask(socket, change);
		} catch (error) {
			const isCrowded = error instanceof AgentreeError && isTooManyConnections(error.message);
			if (!isCrowded || tries === MOST_TRIES) throw error;
			await sleep(RETRY_MS);
		}
	}
}

function ask(socket: string, change: TodoChange): Promise<readonly TodoItem[]> {
	return askOwnSupervisor(socket, {
		request: { say: "todo", change },
		answerIn: (message) => (message.say === "todo" ? message.items : undefined),
		withinMs: ANSWER_MS,
	});
}
