/** From a turn that may start to its answer: on disk before the agent has it. */
import type { AgentId } from "../core/agent.ts";
import type { ModelDelta } from "../core/model.ts";
import { agentDirectory } from "../store/run-directory.ts";
import { entryOf } from "./admit.ts";
import type { Gateway } from "./gateway.ts";
import type { Effect, Occurrence } from "./occurrence.ts";
import type { RunRecord } from "./record.ts";
import type { Roster } from "./roster.ts";

export interface ModelCallFacts {
	roster: Roster;
	record: RunRecord;
	/** The run's directory. */
	directory: string;
	now: () => number;
}

export class ModelCalls {
	private readonly gateway: Gateway;
	private readonly facts: ModelCallFacts;

	constructor(gateway: Gateway, facts: ModelCallFacts) {
		this.gateway = gateway;
		this.facts = facts;
	}

	start(
		{ agent, request, kind, turn }: Extract<Effect, { do: "call" }>,
		happen: (occurrence: Occurrence) => void,
	): void {
		const { roster, record, directory, now } = this.facts;
		const file = roster.member(agent)?.file;
		if (file === undefined) return;
		if (file.system !== request.system) record.agentFile(Object.assign(file, { system: request.system }));
		const { model, task, effort } = file;
		const lastCommand = roster.lastCommand(agent, agentDirectory(directory, agent));
		const onDelta = (delta: ModelDelta) => {
			if (kind !== "compaction") record.delta(agent, turn, delta); // a summary is no answer
		};
		const asked = effort === undefined ? request : { ...request, effort };
		this.gateway.call({ agent, model, task, turn, kind, request: asked, lastCommand, onDelta }, (outcome, costUsd) => {
			if (outcome.is === "reply" && kind !== "compaction")
				record.message(agent, entryOf(outcome, { turn, costUsd, at: now() }));
			happen({ is: "answered", agent, outcome, costUsd });
		});
	}

	partialText(agent: AgentId): string {
		return this.gateway.partialText(agent);
	}

	cancel(agent: AgentId): void {
		this.gateway.cancel(agent);
	}

	close(): void {
		this.gateway.close();
	}
}
