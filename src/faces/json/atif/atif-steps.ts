/**
 * The transcript of one agent as steps: an answer and the results of its calls are one step. The metrics of all steps add up
 * to what the agent used. Pure.
 */

import { describeCommandEnd } from "../../../core/command.ts";
import { defined } from "../../../core/defined.ts";
import type { AgentId } from "../../../core/model/agent.ts";
import { type ToolResultBlock, type ToolUseBlock, textOf } from "../../../core/model/message.ts";
import type {
	AssistantEntry,
	CallNote,
	CompactionNote,
	NoteEntry,
	TranscriptEntry,
	UserEntry,
} from "../../../core/model/transcript.ts";
import type { AgentTimeline, CommandSpan, TurnSpan } from "../../../view/timeline.ts";
import { describeNote } from "../../../view/words/notes.ts";
import { type AtifCall, type AtifResult, type AtifStep, type Charge, isoTime, metricsOf, sumOf } from "./atif-step.ts";

export interface AtifStepsOf {
	readonly run: string;
	readonly timeline: AgentTimeline;
	/** The id of a child agent's trajectory. */
	readonly trajectoryOf: (child: AgentId) => string;
}

/** An answer that waits for the results of its calls. */
interface Pending {
	readonly entry: AssistantEntry;
	readonly answered: Answered;
	readonly calls: readonly ToolUseBlock[];
	/** What was noted meanwhile. */
	readonly after: AtifStep[];
}

export class AtifSteps {
	private readonly of: AtifStepsOf;
	private readonly modelCalls: ModelCalls;
	private pending: Pending | undefined;

	constructor(of: AtifStepsOf) {
		this.of = of;
		this.modelCalls = new ModelCalls(of.timeline.turns);
	}

	/** The steps that are complete with this entry. */
	entry(entry: TranscriptEntry): AtifStep[] {
		if (entry.role === "user") return this.user(entry);
		if (entry.role === "assistant") return this.answer(entry);
		const steps = entry.note === "call" ? this.modelCalls.note(entry) : [noteStep(entry)];
		if (this.pending === undefined) return steps;
		this.pending.after.push(...steps);
		return [];
	}

	/** The steps that the transcript leaves open. */
	rest(): AtifStep[] {
		return [...this.flush(), ...this.modelCalls.before(Number.POSITIVE_INFINITY)];
	}

	private user(entry: UserEntry): AtifStep[] {
		const texts = entry.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
		const from = entry.from === undefined ? {} : { extra: { from: entry.from } };
		const said = texts.map((message): AtifStep => {
			return { timestamp: isoTime(entry.at), source: "user", message, ...from };
		});
		return [...this.flush(entry), ...said];
	}

	private answer(entry: AssistantEntry): AtifStep[] {
		const before = this.flush();
		const answered = this.modelCalls.answered(entry.turn);
		before.push(...this.modelCalls.before(entry.at));
		const calls = entry.content.filter((block) => block.type === "tool_use");
		this.pending = { entry, answered, calls, after: [] };
		return calls.length === 0 ? [...before, ...this.flush()] : before;
	}

	/** The answer that waits, with the results of its calls. Results of other calls are a step without a model. */
	private flush(entry?: UserEntry): AtifStep[] {
		const { pending } = this;
		this.pending = undefined;
		const results = entry?.content.filter((block) => block.type === "tool_result") ?? [];
		const calls = pending?.calls ?? [];
		const strays = results.filter(({ tool_use_id }) => !calls.some(({ id }) => id === tool_use_id));
		const stray = entry === undefined || strays.length === 0 ? [] : [strayStep(entry, strays)];
		if (pending === undefined) return stray;
		const observed = calls.flatMap((call) => {
			const result = results.find(({ tool_use_id }) => tool_use_id === call.id);
			return result === undefined ? this.openResult(call) : [this.result(result, entry)];
		});
		return [answerStep(pending, observed), ...pending.after, ...stray];
	}

	private result({ tool_use_id: id, content, is_error }: ToolResultBlock, entry: UserEntry | undefined): AtifResult {
		const record = entry?.commands?.find(({ toolUseId }) => toolUseId === id);
		const { commands } = this.of.timeline;
		const span =
			record === undefined
				? commands.findLast(({ toolUseId }) => toolUseId === id)
				: commands.find(({ command }) => command === record.command);
		const facts = {
			...{ command: record?.command ?? span?.command, is_error, log: record?.log },
			...{ end: record === undefined ? undefined : describeCommandEnd(record.end), output_bytes: record?.outputBytes },
		};
		return this.observed({ source_call_id: id, content }, span, facts);
	}

	/** A call without a result: of its command only the event log knows, and nothing of one that was not started. */
	private openResult({ id }: ToolUseBlock): AtifResult[] {
		const span = this.of.timeline.commands.findLast(({ toolUseId }) => toolUseId === id);
		if (span === undefined) return [];
		const { command, log, outputBytes: output_bytes } = span;
		const end = span.end === undefined ? undefined : describeCommandEnd(span.end);
		return [this.observed({ source_call_id: id }, span, { command, end, output_bytes, log, has_no_result: true })];
	}

	private observed(result: AtifResult, span: CommandSpan | undefined, facts: object): AtifResult {
		const { run, trajectoryOf } = this.of;
		const refs = (span?.children ?? []).map((child) => ({ trajectory_id: trajectoryOf(child), session_id: run }));
		const extra = defined({ ...facts, duration_ms: span === undefined ? undefined : span.to - span.from });
		return {
			...result,
			...(refs.length === 0 ? {} : { subagent_trajectory_ref: refs }),
			...(Object.keys(extra).length === 0 ? {} : { extra }),
		};
	}
}

function answerStep({ entry, answered, calls }: Pending, results: readonly AtifResult[]): AtifStep {
	const { turn, model, content, stopReason, requestId, messageId, at } = entry;
	const { span, charges, calls: count } = answered;
	const thoughts = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
	const hidden = content.filter(({ type }) => type === "redacted_thinking").length;
	const retries = span?.retries.map(({ from, reason }) => ({ at: isoTime(from), reason })) ?? [];
	const extra = {
		...{ turn, stop_reason: stopReason, request_id: requestId, message_id: messageId },
		...{ duration_ms: span === undefined ? undefined : span.to - span.from },
		...{ hidden_thinking_blocks: hidden || undefined, retries: retries.length === 0 ? undefined : retries },
	};
	return {
		...{ timestamp: isoTime(at), source: "agent", model_name: model, message: textOf(content) },
		...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("\n\n") }),
		...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
		metrics: metricsOf(sumOf([...charges, entry])),
		...(results.length === 0 ? {} : { observation: { results } }),
		llm_call_count: count,
		extra: defined(extra),
	};
}

function callOf({ id, name, input }: ToolUseBlock): AtifCall {
	const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
	return { tool_call_id: id, function_name: name, arguments: isObject ? input : { input } };
}

function strayStep({ at }: UserEntry, strays: readonly ToolResultBlock[]): AtifStep {
	const results = strays.map(({ tool_use_id, content }) => ({ content, extra: { tool_use_id } }));
	const extra = { has_no_calls: true };
	return { timestamp: isoTime(at), source: "agent", message: "", observation: { results }, llm_call_count: 0, extra };
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
 * The calls to the model that gave no message: those that were made again count with the answer that came in the end, the
 * others are steps of their own. A transcript notes only what was charged; the log knows all of them.
 */
interface Answered {
	readonly span: TurnSpan | undefined;
	/** What the broken calls before it were charged. */
	readonly charges: readonly Charge[];
	/** All calls, its own too. */
	readonly calls: number;
}

class ModelCalls {
	private readonly spans: readonly TurnSpan[];
	private readonly told = new Set<TurnSpan>();
	/** The calls that were made again since the last answer. */
	private broken: CallNote[] = [];

	constructor(spans: readonly TurnSpan[]) {
		this.spans = spans;
	}

	/** The calls of a turn that was answered. */
	answered(turn: number): Answered {
		const span = this.spans.findLast((one) => one.turn === turn && one.purpose === undefined);
		if (span !== undefined) this.told.add(span);
		return { span, ...this.takeBroken(span) };
	}

	/** The steps that a note makes, with those of earlier calls that nothing was noted of. */
	note(note: CallNote): AtifStep[] {
		if (note.outcome === "retried") {
			this.broken.push(note);
			return [];
		}
		if (note.outcome === "compaction") return [summaryStep(note)];
		const span = this.spans.findLast((one) => one.turn === note.turn && this.isUntold(one));
		const before = span === undefined ? [] : this.before(span.from);
		if (span !== undefined) this.told.add(span);
		const { at, turn, reason, partial } = note;
		return [...before, this.step({ at, turn, reason, message: partial ?? "", charge: note }, span)];
	}

	/** A step for each call that began before `at`, had no answer, and is noted nowhere. */
	before(at: number): AtifStep[] {
		return this.spans
			.filter((span) => span.from < at && this.isUntold(span))
			.map((span) => {
				this.told.add(span);
				return this.step({ at: span.to, turn: span.turn, message: "", ...endOf(span) }, span);
			});
	}

	private isUntold(span: TurnSpan): boolean {
		return span.end?.by !== "answer" && !this.told.has(span);
	}

	private step({ at, turn, reason, message, charge }: BrokenCall, span: TurnSpan | undefined): AtifStep {
		const { charges, calls } = this.takeBroken(span);
		const all = charge === undefined ? charges : [...charges, charge];
		const extra = defined({ turn, purpose: span?.purpose, has_no_answer: true, reason });
		return {
			...{ timestamp: isoTime(at), source: "agent", message, metrics: metricsOf(sumOf(all)) },
			...{ llm_call_count: calls, extra },
		};
	}

	private takeBroken(span: TurnSpan | undefined): Pick<Answered, "charges" | "calls"> {
		const charges = this.broken;
		this.broken = [];
		return { charges, calls: 1 + Math.max(charges.length, span?.retries.length ?? 0) };
	}
}

interface BrokenCall {
	readonly at: number;
	readonly turn: number;
	readonly reason: string;
	/** What had come of the answer. */
	readonly message: string;
	readonly charge?: Charge;
}

function endOf({ end }: TurnSpan): Pick<BrokenCall, "reason" | "charge"> {
	switch (end?.by) {
		case undefined:
			return { reason: "the call is under way" };
		case "failure":
			return { reason: end.reason, charge: end };
		case "cancelled":
			return { reason: "the call was cancelled", charge: end };
		case "answer":
		case "cut_off":
			return { reason: "its agent ended first" };
	}
}

function summaryStep(note: CallNote): AtifStep {
	const message = textOf(note.content ?? []);
	const extra = { turn: note.turn, purpose: "compaction" };
	const metrics = metricsOf(sumOf([note]));
	return { timestamp: isoTime(note.at), source: "agent", message, metrics, llm_call_count: 1, extra };
}
