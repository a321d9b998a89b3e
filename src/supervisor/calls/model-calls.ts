/** Makes the model calls of agents. An answer is on disk before its agent gets it; a call without an answer leaves a note. */
import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { type AssistantBlock, INTERRUPTED_STOP, isOfAnyModel, isThought } from "../../core/model/message.ts";
import type {
	AskKind,
	Model,
	ModelDelta,
	ModelOutcome,
	ModelReply,
	ModelRequest,
	RetryPolicy,
} from "../../core/model/model.ts";
import type { AgentFile, CallNote } from "../../core/model/transcript.ts";
import { addDollars, addUsage, NO_USAGE, totalTokens, type Usage } from "../../core/model/usage.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import { costOf } from "../../models/provider/model-facts.ts";
import type { Conversations } from "../conversations/conversation.ts";
import type { Effect } from "../decide/effect.ts";
import { fallbackWords, mayFallBack, nextModel } from "../decide/fallback.ts";
import type { Input } from "../decide/input.ts";
import type { LastCommand } from "../run/agent-registry.ts";
import type { Feed } from "../run/feed.ts";
import type { Journal } from "../run/journal.ts";
import { entryOf } from "../run/run-files.ts";
import { Deadlines } from "./deadlines.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { readOutput } from "./last-output.ts";
import type { Charge } from "./retrying-call.ts";

interface ModelCallsDeps extends Clock {
	registry: {
		/** The agent's file, which has its model, task and effort; undefined for an agent that has not joined. */
		get(agent: AgentId): { readonly file: AgentFile } | undefined;
		/** `directory`: the directory of the run. */
		lastCommand(agent: AgentId, directory: string): LastCommand | undefined;
	};
	journal: Journal;
	feed: Pick<Feed, "streamed" | "held">;
	conversations: Pick<Conversations, "get">;
	/** The directory of the run. */
	directory: string;
	loadModel: (name: string) => Promise<Model>;
	retryPolicy: RetryPolicy;
	/** The run's. */
	model: string;
	prices: readonly PricedModel[];
	/** The models that take over from one whose service does not answer. */
	fallbackModels?: readonly string[];
	run: () => RunState;
	random: () => number;
	/** As in SupervisorHost. */
	onCallError?: (error: unknown) => void;
	dispatch: (input: Input) => void;
}

interface Made {
	agent: AgentId;
	turn: number;
	kind: AskKind;
}

const CLOSE_MS = 2_000; // a cancelled call ends at once; a model that does not end it must not hold up the run

export class ModelCalls {
	readonly deadlines: Deadlines;
	readonly sideQuestions: AsideCalls;
	private readonly gateway: Gateway;
	/** Agents whose call is being cancelled, and what it has said is kept. */
	private readonly keeps = new Set<AgentId>();
	private readonly deps: ModelCallsDeps;

	constructor(deps: ModelCallsDeps) {
		const { loadModel: load, retryPolicy, model: runModel, prices, random, dispatch } = deps;
		const charge = (model: string, usage: Usage) => costOf(factsOf(model, prices).price, usage);
		this.deps = deps;
		this.deadlines = new Deadlines(deps);
		const onSlowed = (slowed: Omit<Extract<Input, { is: "slowed" }>, "is">) => dispatch({ is: "slowed", ...slowed });
		this.gateway = createGateway({
			load,
			runModel,
			retryPolicy,
			random,
			costOf: charge,
			onSlowed,
			timer: deps,
			...defined({ onError: deps.onCallError }),
		});
		this.sideQuestions = new AsideCalls({ ...deps, gateway: this.gateway });
	}

	start({ agent, request, kind, turn, said }: Extract<Effect, { do: "call" }>): void {
		const { registry, journal, feed, directory, dispatch } = this.deps;
		const file = registry.get(agent)?.file;
		if (file === undefined) return;
		const { task, effort, joinedAt } = file;
		const model = this.deps.run().agents[agent]?.model ?? file.model; // another may have taken over
		const mayFallBack = this.nextModel(agent) !== undefined;
		const lastCommand = registry.lastCommand(agent, directory);
		const onDelta = (delta: ModelDelta) => {
			if (kind === "compaction")
				feed.streamed(agent); // nobody watches a summary being written
			else journal.delta(agent, turn, delta);
		};
		const asked = effort === undefined ? request : { ...request, effort };
		const timeLeft = () => this.deadlines.left(agent);
		const lastOutput = () => readOutput(lastCommand);
		const call = {
			...{ agent, joinedAt, model, task, turn, kind, request: asked, lastOutput, onDelta, timeLeft, mayFallBack },
			...defined({ said }),
		};
		const made: Made = { agent, turn, kind };
		this.gateway.call(call, {
			held: (isHeld) => feed.held(agent, isHeld),
			retrying: (retrying, charge) => {
				const { usage, costUsd } = charge;
				this.note(made, "retried", retrying.reason, charge);
				dispatch({ is: "retrying", agent, turn, ...retrying, usage, costUsd });
			},
			answered: (given, charge) => {
				const outcome = this.deps.run().agents[agent]?.model === model ? given : withoutThinking(given);
				this.recordOutcome(made, outcome, charge);
				dispatch({ is: "answered", agent, outcome, costUsd: charge.costUsd });
			},
			cancelled: (charge) => {
				const { usage, costUsd } = charge;
				const kept = this.keeps.delete(agent) ? this.keep(made, model, charge) : undefined;
				if (kept === undefined || kept.length === 0) this.note(made, "cancelled", "the call was stopped", charge);
				dispatch({ is: "cancelled", agent, turn, usage, costUsd, ...defined({ kept }) });
			},
		});
	}

	partialText(agent: AgentId): string {
		return this.gateway.partialText(agent);
	}

	cancel({ agent, keeps }: Extract<Effect, { do: "cancel_call" }>): void {
		if (keeps) this.keeps.add(agent);
		this.gateway.cancel(agent);
	}

	/** Cancels the calls under way; resolves when all of them have been charged, or after 2 s. */
	async close(): Promise<void> {
		this.gateway.close();
		let callOff = () => {};
		const tooLate = new Promise<void>((resolve) => {
			callOff = this.deps.after(CLOSE_MS, resolve);
		});
		await Promise.race([this.gateway.idle(), tooLate]);
		callOff();
	}

	/** Records what an interrupted call had said; a summary, and thoughts without their signature, are of no use. */
	private keep({ agent, turn, kind }: Made, model: string, { usage, costUsd, partial }: Charge): AssistantBlock[] {
		if (kind === "compaction" || partial.trim() === "") return [];
		const content: AssistantBlock[] = [{ type: "text", text: partial }];
		const outcome: ModelReply = { is: "reply", content, stopReason: INTERRUPTED_STOP, usage, model };
		const answer = entryOf(outcome, { turn, costUsd, at: this.deps.now() });
		this.deps.journal.message(agent, answer);
		this.deps.conversations.get(agent)?.heard(kind, outcome);
		return content;
	}

	private recordOutcome(made: Made, outcome: ModelOutcome, charge: Charge): void {
		const { agent, turn, kind } = made;
		const isTurn = outcome.is === "reply" && kind !== "compaction";
		const answer = isTurn ? entryOf(outcome, { turn, costUsd: charge.costUsd, at: this.deps.now() }) : undefined;
		if (answer !== undefined) this.deps.journal.message(agent, answer);
		this.deps.conversations.get(agent)?.heard(kind, outcome);
		const next = outcome.is === "failure" && mayFallBack(outcome) ? this.nextModel(agent) : undefined;
		if (outcome.is === "failure" && next !== undefined)
			this.noteCall(made, "failed", fallbackWords(outcome.reason, next), charge);
		else if (outcome.is === "failure") this.note(made, "failed", outcome.reason, charge);
		else if (kind === "compaction") this.noteSummary(made, outcome, charge);
	}

	/** All that the model wrote, also when its agent makes no use of it. */
	private noteSummary({ agent, turn }: Made, { content }: ModelReply, { usage, costUsd }: Charge): void {
		const at = this.deps.now();
		const reason = "it wrote a summary of older messages";
		const of = { outcome: "compaction", reason, usage, costUsd, content } as const;
		this.deps.journal.message(agent, { role: "note", note: "call", at, turn, ...of });
	}

	private nextModel(agent: AgentId): string | undefined {
		const { run, fallbackModels: models = [], prices } = this.deps;
		return nextModel(run(), agent, { models, prices });
	}

	/** Notes what a call without an answer has cost, so that the lines of a transcript add up to the cost of its agent. */
	private note(
		{ agent, turn }: Made,
		outcome: Exclude<CallNote["outcome"], "compaction">,
		reason: string,
		charge: Charge,
	): void {
		if (totalTokens(charge.usage) > 0) this.noteCall({ agent, turn }, outcome, reason, charge);
	}

	private noteCall(
		{ agent, turn }: Pick<Made, "agent" | "turn">,
		outcome: Exclude<CallNote["outcome"], "compaction">,
		reason: string,
		{ usage, costUsd, partial }: Charge,
	): void {
		const at = this.deps.now();
		const note: CallNote = { role: "note", note: "call", at, turn, outcome, reason, usage, costUsd };
		this.deps.journal.message(agent, partial === "" ? note : { ...note, partial });
	}
}

/** The agent has another model meanwhile, which does not take the thoughts of this one. */
function withoutThinking(outcome: ModelOutcome): ModelOutcome {
	if (outcome.is === "failure") return outcome;
	return { ...outcome, content: outcome.content.filter((block) => !isThought(block) || isOfAnyModel(block)) };
}

interface AsideCallsDeps {
	registry: { get(agent: AgentId): { readonly file: AgentFile } | undefined };
	gateway: Pick<Gateway, "call">;
	run: () => RunState;
}

export interface Aside {
	/** Undefined for a call that was cancelled. */
	readonly outcome: ModelOutcome | undefined;
	readonly usage: Usage;
	readonly costUsd: number | null;
}

/** Calls that are no turn of their agent: beside its own ones, and without a record. */
export class AsideCalls {
	private readonly deps: AsideCallsDeps;

	constructor(deps: AsideCallsDeps) {
		this.deps = deps;
	}

	/** With the agent's model and effort. `onText`: what a retry repeats comes again. */
	make(agent: AgentId, request: ModelRequest, onText: (text: string) => void): Promise<Aside> {
		const { registry, gateway, run } = this.deps;
		const file = registry.get(agent)?.file;
		if (file === undefined) return Promise.resolve({ outcome: undefined, usage: NO_USAGE, costUsd: 0 });
		const { task, effort, joinedAt } = file;
		const model = run().agents[agent]?.model ?? file.model; // another may have taken over
		const asked = effort === undefined ? request : { ...request, effort };
		const onDelta = ({ kind, text }: ModelDelta) => (kind === "text" ? onText(text) : undefined);
		const call = { key: `${agent} aside`, agent, joinedAt, model, task, turn: 0, kind: "compaction", onDelta } as const;
		let spent = { usage: NO_USAGE, costUsd: 0 as number | null };
		const charge = ({ usage, costUsd }: Charge) => {
			spent = { usage: addUsage(spent.usage, usage), costUsd: addDollars(spent.costUsd, costUsd) };
			return spent;
		};
		return new Promise((resolve) => {
			gateway.call(
				{ ...call, request: asked, lastOutput: async () => undefined },
				{
					held: () => {},
					retrying: (_, one) => void charge(one),
					answered: (outcome, one) => resolve({ outcome, ...charge(one) }),
					cancelled: (one) => resolve({ outcome: undefined, ...charge(one) }),
				},
			);
		});
	}
}
