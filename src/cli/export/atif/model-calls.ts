/**
 * The calls to the model that gave no message: those that were made again count with the answer that came in the end, the
 * others are steps of their own. A transcript notes only what was charged; the log knows all of them.
 */
import { defined } from "../../../core/defined.ts";
import { textOf } from "../../../core/message.ts";
import type { CallNote } from "../../../core/transcript.ts";
import type { TurnSpan } from "../../../events/timeline.ts";
import { type AtifStep, type Charge, isoTime, metricsOf, sumOf } from "./atif-step.ts";

export interface Answered {
	readonly span: TurnSpan | undefined;
	/** What the broken calls before it were charged. */
	readonly charges: readonly Charge[];
	/** All calls, its own too. */
	readonly calls: number;
}

export class ModelCalls {
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
