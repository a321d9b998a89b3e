/** The plans of agents: each changes its own, from its commands. */
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { changedTodo, type TodoChange } from "../../core/todo.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { Input } from "../decide/input.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";

interface TodosDeps {
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
}

export class Todos {
	private readonly deps: TodosDeps;

	constructor(deps: TodosDeps) {
		this.deps = deps;
	}

	handle(watcher: Pick<Watcher, "send">, change: TodoChange, id: AgentId): void {
		const { state, dispatch } = this.deps;
		const agent = state().run.agents[id];
		if (agent === undefined || isOver(agent))
			return watcher.send({ say: "refused", reason: `agent ${id} has ended, so its plan cannot change` });
		const before = agent.todo ?? [];
		const changed = changedTodo(before, change);
		if (changed.is === "refused") return watcher.send({ say: "refused", reason: changed.reason });
		if (JSON.stringify(changed.items) !== JSON.stringify(before))
			dispatch({ is: "todo_changed", agent: id, items: changed.items });
		watcher.send({ say: "todo", items: changed.items });
	}
}
