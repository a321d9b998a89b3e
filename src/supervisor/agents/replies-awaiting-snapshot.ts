/**
 * Answers with commands wait here until the files that these may change are kept. What else is told to the agent meanwhile
 * comes behind its answer, and what ends its commands lets the answer go at once.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { TreeKeeper } from "./tree-keeper.ts";

export interface RepliesAwaitingSnapshotDeps {
	readonly registry: Pick<AgentRegistry, "send">;
	readonly keeper: Pick<TreeKeeper, "waitFor">;
}

export class RepliesAwaitingSnapshot {
	private readonly deps: RepliesAwaitingSnapshotDeps;
	private readonly held = new Map<AgentId, ToAgent[]>();

	constructor(deps: RepliesAwaitingSnapshotDeps) {
		this.deps = deps;
	}

	send(agent: AgentId, message: ToAgent): void {
		const { registry, keeper } = this.deps;
		const held = this.held.get(agent);
		if (held !== undefined) {
			held.push(message);
			if (message.say === "stop" || message.say === "interrupt") this.letGo(agent);
		} else if (hasCommands(message) && keeper.waitFor(() => this.letGo(agent))) this.held.set(agent, [message]);
		else registry.send(agent, message);
	}

	private letGo(agent: AgentId): void {
		const held = this.held.get(agent) ?? [];
		this.held.delete(agent);
		for (const message of held) this.deps.registry.send(agent, message);
	}
}

function hasCommands(message: ToAgent): boolean {
	if (message.say !== "reply" || message.waits) return false;
	return message.answer?.content.some(({ type }) => type === "tool_use") === true;
}
