/**
 * Answers with commands wait here until the files that these may change are kept. What else is told to the agent meanwhile
 * comes behind its answer, and what ends its commands lets the answer go at once.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";
import type { RunCore } from "../run/run-core.ts";
import type { TreeKeeper } from "./tree-keeper.ts";

export class RepliesAwaitingSnapshot {
	private readonly core: RunCore;
	private readonly keeper: TreeKeeper;
	private readonly held = new Map<AgentId, ToAgent[]>();

	constructor(core: RunCore, keeper: TreeKeeper) {
		this.core = core;
		this.keeper = keeper;
	}

	send(agent: AgentId, message: ToAgent): void {
		const held = this.held.get(agent);
		if (held !== undefined) {
			held.push(message);
			if (message.say === "stop" || message.say === "interrupt") this.letGo(agent);
		} else if (hasCommands(message) && this.keeper.waitFor(() => this.letGo(agent))) this.held.set(agent, [message]);
		else this.core.registry.send(agent, message);
	}

	private letGo(agent: AgentId): void {
		const held = this.held.get(agent) ?? [];
		this.held.delete(agent);
		for (const message of held) this.core.registry.send(agent, message);
	}
}

function hasCommands(message: ToAgent): boolean {
	if (message.say !== "reply" || message.waits) return false;
	return message.answer?.content.some(({ type }) => type === "tool_use") === true;
}
