/** From a turn that may start to its answer: on disk before the agent has it. What gave no message leaves a note. */
import type { AgentId } from "../../core/agent.ts";
import {
	type AskKind,
	type Model,
	type ModelDelta,
	type ModelOutcome,
	totalTokens,
	type Usage,
} from "../../core/model.ts";
import type { Patience } from "../../core/retry-policy.ts";
import type { CallNote } from "../../core/transcript.ts";
import { costOf, type PricedModel } from "../../models/prices.ts";
import { agentDirectory } from "../../store/run-directory.ts";
import type { Roster } from "../agent-registry.ts";
import type { Effect, Occurrence } from "../decide/input.ts";
import type { RunRecord } from "../record/journal.ts";
import { entryOf } from "../record/run-files.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import type { Timer } from "./permits.ts";
import type { Charge } from "./retrying-call.ts";

export interface ModelCallFacts {
	roster: Roster;
	record: RunRecord;
	/** The run's directory. */
	directory: string;
	loadModel: (name: string) => Promise<Model>;
	patience: Patience;
	prices: readonly PricedModel[];
	now: () => number;
	elapsed: () => number;
	random: () => number;
	happen: (occurrence: Occurrence) => void;
}

interface Made {
	agent: AgentId;
	turn: number;
	kind: AskKind;
}

const CLOSE_MS = 2_000; // to end a call takes an instant; a model that does not end it must not hold the run

export class ModelCalls {
	private readonly gateway: Gateway;
	private readonly facts: ModelCallFacts;

	constructor(facts: ModelCallFacts) {
		const { loadModel: load, patience, prices, elapsed, random, happen } = facts;
		const charge = (model: string, usage: Usage) => costOf(model, usage, prices);
		this.facts = facts;
		const onSlowed = (slowed: Omit<Extract<Occurrence, { is: "slowed" }>, "is">) => happen({ is: "slowed", ...slowed });
		this.gateway = createGateway({ load, patience, random, costOf: charge, onSlowed, timer: { now: elapsed, after } });
	}

	start({ agent, request, kind, turn }: Extract<Effect, { do: "call" }>): void {
		const { roster, record, directory, happen } = this.facts;
		const file = roster.member(agent)?.file;
		if (file === undefined) return;
		if (file.system !== request.system) record.agentFile(Object.assign(file, { system: request.system }));
		const { model, task, effort, joined_at: joinedAt } = file;
		const lastCommand = roster.lastCommand(agent, agentDirectory(directory, agent));
		const onDelta = (delta: ModelDelta) => {
			if (kind !== "compaction") record.delta(agent, turn, delta); // a summary is no answer
		};
		const asked = effort === undefined ? request : { ...request, effort };
		const call = { agent, joinedAt, model, task, turn, kind, request: asked, lastCommand, onDelta };
		const made: Made = { agent, turn, kind };
		this.gateway.call(call, {
			retrying: (retrying, charge) => {
				const { usage, costUsd } = charge;
				this.note(made, "retried", retrying.reason, charge);
				happen({ is: "retrying", agent, turn, ...retrying, usage, costUsd });
			},
			answered: (outcome, charge) => {
				this.recordOutcome(made, outcome, charge);
				happen({ is: "answered", agent, outcome, costUsd: charge.costUsd });
			},
			cancelled: (charge) => {
				const { usage, costUsd } = charge;
				this.note(made, "cancelled", "the call was stopped", charge);
				happen({ is: "cancelled", agent, turn, usage, costUsd });
			},
		});
	}

	partialText(agent: AgentId): string {
		return this.gateway.partialText(agent);
	}

	cancel(agent: AgentId): void {
		this.gateway.cancel(agent);
	}

	/** Ends what is under way; resolves when all of it has been charged. */
	async close(): Promise<void> {
		this.gateway.close();
		let callOff = () => {};
		const tooLate = new Promise<void>((resolve) => {
			callOff = after(CLOSE_MS, resolve);
		});
		await Promise.race([this.gateway.idle(), tooLate]);
		callOff();
	}

	private recordOutcome(made: Made, outcome: ModelOutcome, charge: Charge): void {
		const { agent, turn, kind } = made;
		if (outcome.is === "failure") this.note(made, "failed", outcome.reason, charge);
		else if (kind === "compaction") this.note(made, "compaction", "it wrote a summary of older rounds", charge);
		else {
			const at = this.facts.now();
			this.facts.record.message(agent, entryOf(outcome, { turn, costUsd: charge.costUsd, at }));
		}
	}

	/** Of what was charged: so a transcript's lines add up to what its agent has cost. */
	private note({ agent, turn }: Made, outcome: CallNote["outcome"], reason: string, charge: Charge): void {
		const { usage, costUsd: cost_usd, partial } = charge;
		if (totalTokens(usage) === 0) return;
		const at = this.facts.now();
		const note: CallNote = { role: "note", note: "call", at, turn, outcome, reason, usage, cost_usd };
		this.facts.record.message(agent, outcome === "compaction" || partial === "" ? note : { ...note, partial });
	}
}

/** Timers of waits: those of a run that is over are called off with the calls that wait. */
const after: Timer["after"] = (ms, then) => {
	const timer = setTimeout(then, ms);
	return () => clearTimeout(timer);
};
