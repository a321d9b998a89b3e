/**
 * The items of one agent's transcript as steps: an answer and the results of its calls are one step. The metrics of all steps
 * add up to what the agent used. Pure.
 */
import { describeCommandEnd } from "../../../core/bash-call.ts";
import { defined } from "../../../core/defined.ts";
import type { AgentId } from "../../../core/model/agent.ts";
import { type ToolUseBlock, textOf } from "../../../core/model/message.ts";
import { addDollars, addUsage, NO_USAGE, totalTokens, type Usage } from "../../../core/model/usage.ts";
import type { AssistantEntry, CallNote, CompactionNote, NoteEntry } from "../../../core/schemas/transcript.ts";
import type { CommandItem, MessageItem, NoteItem, TranscriptItem, TurnItem } from "../../../view/transcript/items.ts";
import { describeNote } from "../../../view/transcript/words.ts";

export interface AtifStepsOf {
	readonly run: string;
	/** The id of a child agent's trajectory. */
	readonly trajectoryOf: (child: AgentId) => string;
}

/** A turn with what has come of it so far. */
interface Pending {
	readonly turn: TurnItem;
	readonly commands: CommandItem[];
	/** What its broken calls were charged that were made again. */
	readonly charges: Charge[];
	/** Says that it gave no answer. */
	failed: CallNote | undefined;
}

export class AtifSteps {
	private readonly of: AtifStepsOf;
	private pending: Pending | undefined;
	/** The broken calls of a turn that is not known so far. */
	private charges: Charge[] = [];

	constructor(of: AtifStepsOf) {
		this.of = of;
	}

	/** The steps that are complete with the item, which no longer changes. */
	take(item: TranscriptItem): AtifStep[] {
		switch (item.is) {
			case "turn": {
				const before = this.rest();
				this.pending = { turn: item, commands: [], charges: this.charges.splice(0), failed: undefined };
				return before;
			}
			case "command":
				if (!isCalledBy(this.pending?.turn, item)) return [...this.rest(), ...strayStep(item)];
				this.pending?.commands.push(item);
				return [];
			case "message":
				return [...this.rest(), messageStep(item)];
			case "note":
				return this.note(item);
			case "said": // the answer has it
			case "notice": // the format has no place for it
				return [];
		}
	}

	/** The step that waits for more. */
	rest(): AtifStep[] {
		const { pending } = this;
		this.pending = undefined;
		if (pending === undefined) return [];
		const { answer } = pending.turn;
		return [answer === undefined ? brokenStep(pending) : this.answerStep(pending, answer)];
	}

	private note({ note }: NoteItem): AtifStep[] {
		if (note.note !== "call") return [...this.rest(), noteStep(note)];
		const ofTurn = this.pending?.turn.turn === note.turn ? this.pending : undefined;
		switch (note.outcome) {
			case "retried":
				(ofTurn?.charges ?? this.charges).push(note);
				return [];
			case "compaction":
				return [...this.rest(), summaryStep(note)];
			case "failed":
			case "cancelled":
				if (ofTurn === undefined || ofTurn.turn.answer !== undefined) return [...this.rest(), failedStep(note)];
				ofTurn.failed = note;
				return this.rest();
		}
	}

	private answerStep({ turn, commands, charges }: Pending, entry: AssistantEntry): AtifStep {
		const { turn: number, model, content, stopReason, requestId, messageId, at } = entry;
		const thoughts = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
		const hidden = content.filter(({ type }) => type === "redacted_thinking").length;
		const calls = content.filter((block) => block.type === "tool_use");
		const results = commands.flatMap((command) => this.resultOf(command));
		const retries = turn.retries.map((retry) => ({ at: isoTime(retry.at), reason: retry.reason }));
		const extra = {
			...{ turn: number, stop_reason: stopReason, request_id: requestId, message_id: messageId },
			...{ duration_ms: durationOf(turn), hidden_thinking_blocks: hidden || undefined },
			retries: retries.length === 0 ? undefined : retries,
		};
		return {
			...{ timestamp: isoTime(at), source: "agent", model_name: model, message: textOf(content) },
			...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("\n\n") }),
			...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
			metrics: metricsOf(sumOf([...charges, entry])),
			...(results.length === 0 ? {} : { observation: { results } }),
			...{ llm_call_count: callsOf(turn, charges), extra: defined(extra) },
		};
	}

	/** Of a call without a result only the event log knows its command, and nothing of one that was not started. */
	private resultOf(item: CommandItem): AtifResult[] {
		const { callId, command, end, result, isError, outputBytes, log, children } = item;
		if (result === undefined && command === undefined) return [];
		const { run, trajectoryOf } = this.of;
		const refs = children.map((child) => ({ trajectory_id: trajectoryOf(child), session_id: run }));
		const extra = defined({
			...{ command, is_error: isError, end: end && describeCommandEnd(end), output_bytes: outputBytes, log },
			...{ has_no_result: result === undefined ? true : undefined, duration_ms: durationOf(item) },
		});
		return [
			{
				...defined({ source_call_id: callId, content: result }),
				...(refs.length === 0 ? {} : { subagent_trajectory_ref: refs }),
				...(Object.keys(extra).length === 0 ? {} : { extra }),
			},
		];
	}
}

function isCalledBy(turn: TurnItem | undefined, { callId }: CommandItem): boolean {
	return turn?.answer?.content.some((block) => block.type === "tool_use" && block.id === callId) === true;
}

function durationOf({ startedAt, endedAt }: TurnItem | CommandItem): number | undefined {
	return startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
}

/** All calls for the turn, its own too. A transcript notes only what was charged; the log knows all of them. */
function callsOf({ retries }: TurnItem, charges: readonly Charge[]): number {
	return 1 + Math.max(charges.length, retries.length);
}

function callOf({ id, name, input }: ToolUseBlock): AtifCall {
	const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
	return { tool_call_id: id, function_name: name, arguments: isObject ? input : { input } };
}

/** A turn that gave no message. */
function brokenStep({ turn, charges, failed }: Pending): AtifStep {
	const { reason, charge } = failed === undefined ? endOf(turn) : { reason: failed.reason, charge: failed };
	const at = failed?.at ?? turn.endedAt ?? turn.startedAt ?? 0;
	const extra = { turn: turn.turn, has_no_answer: true, reason };
	return {
		...{ timestamp: isoTime(at), source: "agent", message: failed?.partial ?? "" },
		metrics: metricsOf(sumOf(charge === undefined ? charges : [...charges, charge])),
		...{ llm_call_count: callsOf(turn, charges), extra },
	};
}

function endOf({ end }: TurnItem): { readonly reason: string; readonly charge?: Charge } {
	switch (end?.by) {
		case undefined:
			return { reason: "the call is running" };
		case "failure":
			return { reason: end.reason, charge: end };
		case "cancelled":
			return { reason: "the call was canceled", charge: end };
		case "answer":
		case "cut_off":
			return { reason: "its agent ended first" };
	}
}

function failedStep(note: CallNote): AtifStep {
	const { at, turn, reason, partial: message = "" } = note;
	const extra = { turn, has_no_answer: true, reason };
	const metrics = metricsOf(sumOf([note]));
	return { timestamp: isoTime(at), source: "agent", message, metrics, llm_call_count: 1, extra };
}

function summaryStep(note: CallNote): AtifStep {
	const message = textOf(note.content ?? []);
	const extra = { turn: note.turn, purpose: "compaction" };
	const metrics = metricsOf(sumOf([note]));
	return { timestamp: isoTime(note.at), source: "agent", message, metrics, llm_call_count: 1, extra };
}

/** The result of a call that is not in the record is a step without a model. */
function strayStep({ callId, result, recordedAt }: CommandItem): AtifStep[] {
	if (result === undefined || recordedAt === undefined) return [];
	const results = [{ content: result, extra: defined({ tool_use_id: callId }) }];
	const extra = { has_no_calls: true };
	const facts = { message: "", observation: { results }, llm_call_count: 0, extra };
	return [{ timestamp: isoTime(recordedAt), source: "agent", ...facts }];
}

function messageStep({ at, text, from }: MessageItem): AtifStep {
	const extra = from === undefined ? {} : { extra: { from } };
	return { timestamp: isoTime(at), source: "user", message: text, ...extra };
}

function noteStep(note: Exclude<NoteEntry, CallNote>): AtifStep {
	return {
		timestamp: isoTime(note.at),
		source: "system",
		message: describeNote(note),
		extra: note.note === "compaction" ? { note: note.note, ...compactionFacts(note) } : { note: note.note },
	};
}

function compactionFacts({ how, summary, keptMessages, tokensBefore, tokensAfter }: CompactionNote): object {
	const tokens = { tokens_before: tokensBefore, tokens_after: tokensAfter };
	return { how, ...(summary === "" ? {} : { summary }), kept_messages: keptMessages, ...tokens };
}

/**
 * The steps of a trajectory in the format ATIF 1.7 of the Harbor project (its RFC 0001), as far as they are written here. Other
 * keys are an error to its readers; what has no key there stands under `extra`. Pure.
 */

export interface AtifStep {
	/** ISO 8601. */
	readonly timestamp: string;
	readonly source: "system" | "user" | "agent";
	readonly message: string;
	/** From here to `metrics`: steps of the agent alone. */
	readonly model_name?: string;
	readonly reasoning_content?: string;
	readonly tool_calls?: readonly AtifCall[];
	readonly metrics?: AtifMetrics;
	readonly observation?: { readonly results: readonly AtifResult[] };
	/** The step was copied from another trajectory, which has its metrics. */
	readonly is_copied_context?: true;
	/** The calls to the model that the step's metrics are the sum of. */
	readonly llm_call_count?: number;
	readonly extra?: object;
}

export interface AtifCall {
	readonly tool_call_id: string;
	readonly function_name: string;
	readonly arguments: object;
}

export interface AtifResult {
	/** One of the same step; absent for a result whose call is not in the record. */
	readonly source_call_id?: string;
	readonly content?: string;
	readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string; readonly session_id: string }[];
	readonly extra?: object;
}

export interface AtifMetrics {
	/** All that went in, also what the cache had. */
	readonly prompt_tokens?: number;
	readonly completion_tokens?: number;
	/** The part of `prompt_tokens` that the cache had. */
	readonly cached_tokens?: number;
	/** Absent when a price is not known. */
	readonly cost_usd?: number;
	readonly extra?: object;
}

export interface Charge {
	readonly usage: Usage;
	readonly costUsd: number | null;
}

export function sumOf(charges: readonly Charge[]): Charge {
	return charges.reduce((sum, { usage, costUsd }) => {
		return { usage: addUsage(sum.usage, usage), costUsd: addDollars(sum.costUsd, costUsd) };
	}, FREE);
}

const FREE: Charge = { usage: NO_USAGE, costUsd: 0 };

/** Where the service has counted nothing there are no tokens, rather than none. */
export function metricsOf({ usage, costUsd }: Charge): AtifMetrics {
	const { output, cacheRead, cacheWrite, uncounted } = usage;
	const isCounted = uncounted === undefined || totalTokens(usage) > 0;
	const tokens = {
		prompt_tokens: totalTokens(usage) - output,
		completion_tokens: output,
		cached_tokens: cacheRead,
	};
	const extra = { cache_creation_input_tokens: cacheWrite || undefined, uncounted_calls: uncounted };
	const known = defined(extra);
	return {
		...(isCounted ? tokens : {}),
		...(costUsd === null ? {} : { cost_usd: costUsd }),
		...(Object.keys(known).length === 0 ? {} : { extra: known }),
	};
}

export function isoTime(at: number): string {
	return new Date(at).toISOString();
}
