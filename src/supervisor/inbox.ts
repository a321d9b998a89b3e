/** Takes in what agents say: it is checked, recorded, and becomes an input of the run's decisions. */
import type { AgentId } from "../core/model/agent.ts";
import type { FromAgent, Join } from "../wire/agent-messages.ts";
import type { AgentRegistry } from "./agents/agent-registry.ts";
import type { Histories } from "./chat/histories.ts";
import type { Conversations } from "./conversations/conversations.ts";
import { type Input, inputFrom } from "./decide/input.ts";
import type { CommandPermission } from "./permissions/command-permission.ts";
import type { Machine } from "./processes/machine.ts";
import type { Sandboxes } from "./sandboxes/sandboxes.ts";

export interface InboxDeps {
	registry: Pick<AgentRegistry, "send" | "get" | "commandStarted" | "commandEnded">;
	conversations: Pick<Conversations, "record" | "asked">;
	histories: Pick<Histories, "take">;
	machine: Pick<Machine, "commandStarted">;
	permission: Pick<CommandPermission, "ask" | "forget">;
	sandboxes: Pick<Sandboxes, "commandStarted">;
	dispatch: (input: Input) => void;
}

export class Inbox {
	private readonly deps: InboxDeps;

	constructor(deps: InboxDeps) {
		this.deps = deps;
	}

	/** Gives what is wrong with a message that no agent of ours sends; then it has had no effect. */
	take(agent: AgentId, message: Exclude<FromAgent, Join>): string | undefined {
		const { registry, conversations, machine, dispatch } = this.deps;
		switch (message.say) {
			case "ask":
				return this.ask(agent, message);
			case "record": {
				const fault = conversations.record(agent, message.entry);
				if (fault !== undefined) return fault;
				break;
			}
			case "may_run":
				this.deps.permission.ask(agent, message);
				return undefined;
			case "history":
				return this.deps.histories.take(agent, message.messages);
			case "command_started": {
				registry.commandStarted(agent, message);
				this.deps.sandboxes.commandStarted(agent, message.command, registry.get(agent)?.file);
				const pid = machine.commandStarted(agent, message);
				dispatch(inputFrom(agent, { ...message, pid }));
				return undefined;
			}
			case "command_ended":
				registry.commandEnded(agent, message);
				break;
			case "listen":
			case "finish":
				this.deps.permission.forget(agent);
				break;
			case "repeats":
				break;
		}
		dispatch(inputFrom(agent, message));
		return undefined;
	}

	private ask(agent: AgentId, message: Extract<FromAgent, { say: "ask" }>): string | undefined {
		const { registry, conversations, dispatch } = this.deps;
		this.deps.permission.forget(agent);
		const asked = conversations.asked(agent, message);
		switch (asked.is) {
			case "fault":
				return asked.what;
			case "refused":
				registry.send(agent, { say: "ask_refused", limit: "compact-at", reason: asked.reason, partial: "" });
				return undefined;
			case "request":
				dispatch({ is: "asked", agent, request: asked.request, kind: message.kind });
				return undefined;
		}
	}
}
