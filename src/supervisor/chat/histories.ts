/** Asks agents for what their next requests would have: only they have that. */
import type { AgentId } from "../../core/model/agent.ts";
import type { Message } from "../../core/model/message.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";

type Resolve = (messages: readonly Message[] | undefined) => void;

export class Histories {
	private readonly registry: Pick<AgentRegistry, "send" | "isConnected">;
	private readonly asked = new Map<AgentId, Resolve[]>();

	constructor(registry: Pick<AgentRegistry, "send" | "isConnected">) {
		this.registry = registry;
	}

	/** Undefined when the agent goes before it has said it. */
	ask(agent: AgentId): Promise<readonly Message[] | undefined> {
		if (!this.registry.isConnected(agent)) return Promise.resolve(undefined);
		this.registry.send(agent, { say: "history" });
		return new Promise((resolve) => {
			this.asked.set(agent, [...(this.asked.get(agent) ?? []), resolve]);
		});
	}

	take(agent: AgentId, messages: readonly Message[]): void {
		const [first, ...others] = this.asked.get(agent) ?? [];
		this.asked.set(agent, others);
		first?.(messages);
	}

	/** The agent's connection has closed. */
	close(agent: AgentId): void {
		for (const resolve of this.asked.get(agent) ?? []) resolve(undefined);
		this.asked.delete(agent);
	}
}
