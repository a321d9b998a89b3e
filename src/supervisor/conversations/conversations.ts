/** The conversations of all agents that are connected. */
import type { AgentId } from "../../core/model/agent.ts";
import type { Joined } from "../../wire/agent-messages.ts";
import { Conversation } from "./conversation.ts";
import type { ReplyFacts } from "./replies.ts";

export class Conversations {
	private readonly byAgent = new Map<AgentId, Conversation>();

	open({ agent, waits }: Pick<Joined, "agent" | "waits">, system: string, facts: ReplyFacts): void {
		this.byAgent.set(agent, new Conversation(system, { ...facts, isWaiting: waits === true }));
	}

	/** Undefined for an agent that is not connected. */
	get(agent: AgentId): Conversation | undefined {
		return this.byAgent.get(agent);
	}

	close(agent: AgentId): void {
		this.byAgent.delete(agent);
	}
}
