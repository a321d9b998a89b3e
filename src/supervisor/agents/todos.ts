/** The plans of agents: each changes its own, from its commands. */
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { changedTodo, type TodoChange } from "../../core/todo.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RunCore } from "../run/run-core.ts";

export class Todos {
	private readonly core: RunCore;

	constructor(core: RunCore) {
		this.core = core;
	}

	handle(watcher: Pick<Watcher, "send">, change: TodoChange, id: AgentId): void {
		const agent = this.core.run.agents[id];
		if (agent === undefined || isOver(agent))
			return watcher.send({ say: "refused", reason: `agent ${id} has ended, so its plan cannot change` });
		const before = agent.todo ?? [];
		const changed = changedTodo(before, change);
		if (changed.is === "refused") return watcher.send({ say: "refused", reason: changed.reason });
		if (JSON.stringify(changed.items) !== JSON.stringify(before))
			this.core.dispatch({ is: "todo_changed", agent: id, items: changed.items });
		watcher.send({ say: "todo", items: changed.items });
	}
}
