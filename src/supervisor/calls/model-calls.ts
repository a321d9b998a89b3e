import { closeSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { type AssistantBlock, INTERRUPTED_STOP, isOfAnyModel, isThought } from "../../core/model/message.ts";
import type {
	AskKind,
	LastOutput,
	ModelDelta,
	ModelOutcome,
	ModelReply,
	ModelRequest,
} from "../../core/model/model.ts";
import { addDollars, addUsage, NO_USAGE, totalTokens, type Usage } from "../../core/model/usage.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import type { CallNote } from "../../core/schemas/transcript.ts";
import { factsOf } from "../../models/catalogue.ts";
import { costOf } from "../../models/provider/model-facts.ts";
import { openRegularWithin } from "../../processes/open-within.ts";
import type { Effect } from "../decide/inputs-and-effects.ts";
import { fallbackWords, mayFallBack, nextModel } from "../decide/turns.ts";
import type { LastCommand } from "../run/agent-registry.ts";
import type { RunCore } from "../run/run-core.ts";
import { entryOf } from "../run/run-files.ts";
import { Deadlines } from "./deadlines.ts";
import { Gateway } from "./gateway.ts";
import type { Charge } from "./retrying-call.ts";

interface Made {
	agent: AgentId;
	turn: number;
	kind: AskKind;
}

type Noted = Pick<CallNote, "outcome" | "reason" | "content">;

export interface Aside {
	/** Undefined for a call that was cancelled. */
	readonly outcome: ModelOutcome | undefined;
	readonly usage: Usage;
	readonly costUsd: number | null;
}

const SUMMARY = "it wrote a summary of older messages";
const CLOSE_MS = 2_000; // a cancelled call ends at once; a model that does not end it must not hold up the run

export class ModelCalls {
	readonly deadlines: Deadlines;
	private readonly core: RunCore;
	private readonly gateway: Gateway;
	/** Agents whose call is being cancelled, and whose transcript gets what it has said. */
	private readonly keeps = new Set<AgentId>();

	constructor(core: RunCore) {
		const { settings, host } = core;
		const { retryPolicy, model: runModel, prices } = settings;
		this.core = core;
		this.deadlines = new Deadlines(host);
		this.gateway = new Gateway({
			...{ load: host.loadModel, runModel, retryPolicy, random: host.random, timer: host },
			costOf: (model, usage) => costOf(factsOf(model, prices).price, usage),
			onSlowed: (slowed) => core.dispatch({ is: "slowed", ...slowed }),
			...defined({ onError: host.onCallError }),
		});
	}

	start({ agent, request, kind, turn, said }: Extract<Effect, { do: "call" }>): void {
		const { registry, journal, feed, directory, dispatch } = this.core;
		const file = registry.get(agent)?.file;
		if (file === undefined) return;
		const mayFallBack = this.nextModel(agent) !== undefined;
		const lastCommand = registry.lastCommand(agent, directory);
		const onDelta = (delta: ModelDelta) => {
			if (kind === "compaction")
				feed.streamed(agent); // nobody watches a summary being written
			else journal.delta(agent, turn, delta);
		};
		const timeLeft = () => this.deadlines.left(agent);
		const lastOutput = () => readOutput(lastCommand);
		const call = {
			...{ ...this.callOf(file, request), turn, kind, lastOutput, onDelta, timeLeft, mayFallBack },
			...defined({ said }),
		};
		const { model } = call;
		const made: Made = { agent, turn, kind };
		this.gateway.call(call, {
			held: (isHeld) => feed.held(agent, isHeld),
			retrying: (retrying, charge) => {
				const { usage, costUsd } = charge;
				this.noteCost(made, { outcome: "retried", reason: retrying.reason }, charge);
				dispatch({ is: "retrying", agent, turn, ...retrying, usage, costUsd });
			},
			answered: (given, charge) => {
				const outcome = this.core.run.agents[agent]?.model === model ? given : withoutThinking(given);
				this.recordOutcome(made, outcome, charge);
				dispatch({ is: "answered", agent, outcome, costUsd: charge.costUsd });
			},
			cancelled: (charge) => {
				const { usage, costUsd } = charge;
				const kept = this.keeps.delete(agent) ? this.keep(made, model, charge) : undefined;
				if (kept === undefined || kept.length === 0)
					this.noteCost(made, { outcome: "cancelled", reason: "the call was stopped" }, charge);
				dispatch({ is: "cancelled", agent, turn, usage, costUsd, ...defined({ kept }) });
			},
		});
	}

	/** A call that is no turn of the agent: beside its own ones, and without a record. `onText`: what a retry repeats comes again. */
	aside(agent: AgentId, request: ModelRequest, onText: (text: string) => void): Promise<Aside> {
		const file = this.core.registry.get(agent)?.file;
		if (file === undefined) return Promise.resolve({ outcome: undefined, usage: NO_USAGE, costUsd: 0 });
		const onDelta = ({ kind, text }: ModelDelta) => (kind === "text" ? onText(text) : undefined);
		const lastOutput = async () => undefined;
		const of = { key: `${agent} aside`, turn: 0, kind: "compaction", onDelta, lastOutput } as const;
		let spent = { usage: NO_USAGE, costUsd: 0 as number | null };
		const charge = ({ usage, costUsd }: Charge) => {
			spent = { usage: addUsage(spent.usage, usage), costUsd: addDollars(spent.costUsd, costUsd) };
			return spent;
		};
		return new Promise((resolve) => {
			this.gateway.call(
				{ ...this.callOf(file, request), ...of },
				{
					held: () => {},
					retrying: (_, one) => void charge(one),
					answered: (outcome, one) => resolve({ outcome, ...charge(one) }),
					cancelled: (one) => resolve({ outcome: undefined, ...charge(one) }),
				},
			);
		});
	}

	/** With the agent's model, which may be another one than it began with, and its effort. */
	private callOf({ agent, task, joinedAt, model, effort }: AgentFile, request: ModelRequest) {
		const asked = effort === undefined ? request : { ...request, effort };
		return { agent, task, joinedAt, model: this.core.run.agents[agent]?.model ?? model, request: asked };
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
			callOff = this.core.host.after(CLOSE_MS, resolve);
		});
		await Promise.race([this.gateway.idle(), tooLate]);
		callOff();
	}

	/** Records what an interrupted call had said; a summary, and thoughts without their signature, are of no use. */
	private keep({ agent, turn, kind }: Made, model: string, { usage, costUsd, partial }: Charge): AssistantBlock[] {
		if (kind === "compaction" || partial.trim() === "") return [];
		const content: AssistantBlock[] = [{ type: "text", text: partial }];
		const outcome: ModelReply = { is: "reply", content, stopReason: INTERRUPTED_STOP, usage, model };
		const answer = entryOf(outcome, { turn, costUsd, at: this.core.host.now() });
		this.core.journal.message(agent, answer);
		this.core.conversations.get(agent)?.heard(kind, outcome);
		return content;
	}

	/** Of a summary all that the model wrote is recorded, even when its agent makes no use of it. */
	private recordOutcome(made: Made, outcome: ModelOutcome, charge: Charge): void {
		const { agent, turn, kind } = made;
		const { journal, conversations, host } = this.core;
		if (outcome.is === "reply" && kind !== "compaction")
			journal.message(agent, entryOf(outcome, { turn, costUsd: charge.costUsd, at: host.now() }));
		conversations.get(agent)?.heard(kind, outcome);
		const next = outcome.is === "failure" && mayFallBack(outcome) ? this.nextModel(agent) : undefined;
		if (outcome.is === "failure" && next !== undefined)
			this.note(made, { outcome: "failed", reason: fallbackWords(outcome.reason, next) }, charge);
		else if (outcome.is === "failure") this.noteCost(made, { outcome: "failed", reason: outcome.reason }, charge);
		else if (kind === "compaction")
			this.note(made, { outcome: "compaction", reason: SUMMARY, content: outcome.content }, charge);
	}

	private nextModel(agent: AgentId): string | undefined {
		const { fallbackModels: models = [], prices } = this.core.settings;
		return nextModel(this.core.run, agent, { models, prices });
	}

	/** Notes what a call without an answer has cost, so that the lines of a transcript add up to the cost of its agent. */
	private noteCost(made: Made, what: Noted, charge: Charge): void {
		if (totalTokens(charge.usage) > 0) this.note(made, what, charge);
	}

	private note({ agent, turn }: Made, what: Noted, { usage, costUsd, partial }: Charge): void {
		const said = what.content === undefined ? defined({ partial: partial || undefined }) : {};
		const at = this.core.host.now();
		this.core.journal.message(agent, { role: "note", note: "call", at, turn, ...what, usage, costUsd, ...said });
	}
}

/** The agent has another model meanwhile, which does not take the thoughts of this one. */
function withoutThinking(outcome: ModelOutcome): ModelOutcome {
	if (outcome.is === "failure") return outcome;
	return { ...outcome, content: outcome.content.filter((block) => !isThought(block) || isOfAnyModel(block)) };
}

const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the beginning of the log: all of it, up to 64 MiB, would need many times its size as text and JSON. A command may
 * have put anything in its place: a link is not followed, and of a FIFO or a device nothing is read.
 */
export async function readOutput(command: LastCommand | undefined): Promise<LastOutput | undefined> {
	if (command === undefined) return undefined;
	const { directory, log, printedBytes, exitCode } = command;
	const path = join(directory, log);
	const file = openLog(directory, log);
	if (file === undefined) return { path, text: "", printedBytes, keptBytes: 0, exitCode };
	try {
		const { size } = fstatSync(file);
		const buffer = Buffer.alloc(Math.min(size, MAX_TEXT_BYTES));
		const bytesRead = readSync(file, buffer, 0, buffer.length, 0);
		const rest = size > MAX_TEXT_BYTES ? `\n[cut here: the full output, ${size} bytes, is in ${path}]\n` : "";
		const text = buffer.subarray(0, bytesRead).toString("utf8") + rest;
		return { path, text, printedBytes, keptBytes: size, exitCode };
	} finally {
		closeSync(file);
	}
}

function openLog(directory: string, log: string): number | undefined {
	try {
		return openRegularWithin(directory, log);
	} catch {
		return undefined;
	}
}
