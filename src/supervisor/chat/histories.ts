/** Asks agents for what their next requests would have: only they hold that. */
import type { AgentId } from "../../core/model/agent.ts";
import type { Message } from "../../core/model/message.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";
import type { Conversations } from "../conversations/conversations.ts";

type Resolve = (messages: readonly Message[] | undefined) => void;

export interface HistoriesDeps {
	registry: Pick<AgentRegistry, "send" | "isConnected">;
	conversations: Pick<Conversations, "messagesFault">;
}

export class Histories {
	private readonly deps: HistoriesDeps;
	private readonly asked = new Map<AgentId, Resolve[]>();

	constructor(deps: HistoriesDeps) {
		this.deps = deps;
	}

	/** Undefined when the agent goes before it has said it. */
	ask(agent: AgentId): Promise<readonly Message[] | undefined> {
		const { registry } = this.deps;
		if (!registry.isConnected(agent)) return Promise.resolve(undefined);
		registry.send(agent, { say: "history" });
		return new Promise((resolve) => {
			this.asked.set(agent, [...(this.asked.get(agent) ?? []), resolve]);
		});
	}

	/** Gives what is wrong with messages that no agent of ours would say; then nobody gets them. */
	take(agent: AgentId, messages: readonly Message[]): string | undefined {
		const fault = this.deps.conversations.messagesFault(agent, messages);
		const [first, ...others] = this.asked.get(agent) ?? [];
		this.asked.set(agent, others);
		first?.(fault === undefined ? messages : undefined);
		return fault;
	}

	/** The agent's connection has closed. */
	close(agent: AgentId): void {
		for (const resolve of this.asked.get(agent) ?? []) resolve(undefined);
		this.asked.delete(agent);
	}
}
