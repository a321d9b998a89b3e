import { expect, test } from "vitest";
import type { TodoChange } from "../../../src/core/todo.ts";
import { initialState } from "../../../src/supervisor/decide/supervisor-state.ts";
import { changeTodo } from "../../../src/supervisor/watcher-requests.ts";
import { joined, runOf } from "../core/run-of.ts";
import { fakeCore } from "./fake-core.ts";

function todosOf(...events: Parameters<typeof runOf>) {
	const sent: unknown[] = [];
	const { core, dispatched } = fakeCore({ state: initialState(runOf(joined("1"), ...events)) });
	const ask = (agent: string, change: TodoChange) =>
		changeTodo(core, { send: (message) => void sent.push(message) }, { agent, change });
	return { ask, sent, inputs: dispatched };
}

test("a change is dispatched and answered with the whole plan, and what changes nothing is only answered", () => {
	const items = [{ text: "a", is: "open" as const }];
	const { ask, sent, inputs } = todosOf({ event: "todo_changed", at: 1, agent: "1", items });
	ask("1", { do: "list" });
	ask("1", { do: "open", numbers: [1] });
	expect(inputs).toEqual([]);
	ask("1", { do: "done", numbers: [1] });
	expect(inputs).toEqual([{ is: "todo_changed", agent: "1", items: [{ text: "a", is: "done" }] }]);
	expect(sent).toEqual([
		{ say: "todo", items },
		{ say: "todo", items },
		{ say: "todo", items: [{ text: "a", is: "done" }] },
	]);
});

test("what does not fit, and an agent that is over, is refused", () => {
	const { ask, sent, inputs } = todosOf({ event: "agent_ended", at: 1, agent: "1", ending: { by: "answer" } });
	ask("1", { do: "set", items: ["a"] });
	ask("1.2", { do: "list" });
	expect(sent).toEqual([
		{ say: "refused", reason: "agent 1 has ended, so its plan cannot change" },
		{ say: "refused", reason: "agent 1.2 has ended, so its plan cannot change" },
	]);
	expect(inputs).toEqual([]);
	const alive = todosOf();
	alive.ask("1", { do: "done", numbers: [1] });
	expect(alive.sent).toMatchObject([{ say: "refused", reason: expect.stringContaining("no plan yet") }]);
});
