/** Asks agents for what their next requests would have: only they have that. */
import type { AgentId } from "../../core/model/agent.ts";
import type { Message } from "../../core/model/message.ts";
import type { RunCore } from "../run/run-core.ts";

type Resolve = (messages: readonly Message[] | undefined) => void;

export class Histories {
	private readonly core: RunCore;
	private readonly asked = new Map<AgentId, Resolve[]>();

	constructor(core: RunCore) {
		this.core = core;
	}

	/** Undefined when the agent goes before it has said it. */
	ask(agent: AgentId): Promise<readonly Message[] | undefined> {
		if (!this.core.registry.isConnected(agent)) return Promise.resolve(undefined);
		this.core.registry.send(agent, { say: "history" });
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
