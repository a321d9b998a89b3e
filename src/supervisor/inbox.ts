/** Takes in what agents say: it is checked, recorded, and becomes an input of the run's decisions. */
import type { AgentId } from "../core/model/agent.ts";
import type { RunState } from "../core/run/run-state.ts";
import type { FromAgent, Join } from "../wire/agent-messages.ts";
import type { AgentRegistry } from "./agents/agent-registry.ts";
import type { Histories } from "./chat/histories.ts";
import type { Conversations } from "./conversations/conversations.ts";
import { NO_SUMMARY } from "./conversations/replies.ts";
import { type Input, inputFrom } from "./decide/input.ts";
import type { Outbox } from "./outbox.ts";
import type { CommandPermission } from "./permissions/command-permission.ts";
import type { Machine } from "./processes/machine.ts";
import type { Journal } from "./record/journal.ts";
import type { Sandboxes } from "./sandboxes/sandboxes.ts";

export interface InboxDeps {
	registry: Pick<AgentRegistry, "send" | "get" | "commandStarted" | "commandEnded">;
	conversations: Pick<Conversations, "get">;
	histories: Pick<Histories, "take">;
	journal: Pick<Journal, "message">;
	outbox: Pick<Outbox, "give">;
	run: () => RunState;
	now: () => number;
	machine: Pick<Machine, "commandStarted">;
	permission: Pick<CommandPermission, "forget">;
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
		const { registry, machine, dispatch } = this.deps;
		switch (message.say) {
			case "ask":
				return this.ask(agent, message);
			case "record":
				this.record(agent, message.entry);
				break;
			case "history":
				this.deps.histories.take(agent, message.messages);
				return undefined;
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
			case "finish":
				this.deps.permission.forget(agent);
				break;
			case "repeats":
				break;
		}
		dispatch(inputFrom(agent, message));
		return undefined;
	}

	private record(agent: AgentId, entry: Extract<FromAgent, { say: "record" }>["entry"]): void {
		const { journal, run, now } = this.deps;
		const at = now();
		journal.message(
			agent,
			entry.role === "note" ? { ...entry, at, turn: run().agents[agent]?.turns ?? 0 } : { ...entry, at },
		);
	}

	private ask(agent: AgentId, message: Extract<FromAgent, { say: "ask" }>): string | undefined {
		const { conversations, permission, outbox, dispatch } = this.deps;
		const conversation = conversations.get(agent);
		if (conversation === undefined || message.messages.at(-1)?.role !== "user")
			return "a request that does not end with a user message";
		permission.forget(agent);
		const { kind, decided } = conversation.replies.asked(message);
		const request = decided === undefined ? conversation.requestOf(kind, message.messages) : undefined;
		if (request !== undefined) dispatch({ is: "asked", agent, request, kind });
		else outbox.give(agent, decided ?? { is: "reply", message: NO_SUMMARY });
		return undefined;
	}
}
