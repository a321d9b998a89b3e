/** Takes in what agents say: it is checked, recorded, and becomes an input of the run's decisions. */
import type { AgentId } from "../core/model/agent.ts";
import type { FromAgent, Join } from "../wire/agent-messages.ts";
import type { Histories } from "./chat/histories.ts";
import { NO_SUMMARY } from "./conversations/replies.ts";
import { inputFrom } from "./decide/input.ts";
import type { Outbox } from "./outbox.ts";
import type { CommandPermission } from "./permissions/command-permission.ts";
import type { RunCore } from "./run/run-core.ts";
import type { Sandboxes } from "./sandboxes/sandboxes.ts";

interface InboxParts {
	readonly histories: Histories;
	readonly outbox: Outbox;
	readonly permission: CommandPermission;
	readonly sandboxes: Sandboxes;
}

export class Inbox {
	private readonly core: RunCore;
	private readonly parts: InboxParts;

	constructor(core: RunCore, parts: InboxParts) {
		this.core = core;
		this.parts = parts;
	}

	/** Gives what is wrong with a message that no agent of ours sends; then it has had no effect. */
	take(agent: AgentId, message: Exclude<FromAgent, Join>): string | undefined {
		const { registry, machine } = this.core;
		switch (message.say) {
			case "ask":
				return this.ask(agent, message);
			case "record":
				this.record(agent, message.entry);
				break;
			case "history":
				this.parts.histories.take(agent, message.messages);
				return undefined;
			case "command_started": {
				registry.commandStarted(agent, message);
				this.parts.sandboxes.commandStarted(agent, message.command, registry.get(agent)?.file);
				const pid = machine.commandStarted(agent, message);
				this.core.dispatch(inputFrom(agent, { ...message, pid }));
				return undefined;
			}
			case "command_ended":
				registry.commandEnded(agent, message);
				break;
			case "finish":
				this.parts.permission.forget(agent);
				break;
			case "repeats":
				break;
		}
		this.core.dispatch(inputFrom(agent, message));
		return undefined;
	}

	private record(agent: AgentId, entry: Extract<FromAgent, { say: "record" }>["entry"]): void {
		const { journal, run, host } = this.core;
		const at = host.now();
		journal.message(
			agent,
			entry.role === "note" ? { ...entry, at, turn: run.agents[agent]?.turns ?? 0 } : { ...entry, at },
		);
	}

	private ask(agent: AgentId, message: Extract<FromAgent, { say: "ask" }>): string | undefined {
		const { permission, outbox } = this.parts;
		const conversation = this.core.conversations.get(agent);
		if (conversation === undefined || message.messages.at(-1)?.role !== "user")
			return "a request that does not end with a user message";
		permission.forget(agent);
		const { kind, decided } = conversation.replies.asked(message);
		const request = decided === undefined ? conversation.requestOf(kind, message.messages) : undefined;
		if (request !== undefined) this.core.dispatch({ is: "asked", agent, request, kind });
		else outbox.give(agent, decided ?? { is: "reply", message: NO_SUMMARY });
		return undefined;
	}
}
