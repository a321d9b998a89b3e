/**
 * What one agent does after each of its calls. It gets plain replies: run these calls, tell the model this and ask again,
 * make the history shorter, wait, it is over. Limits, last reports, answers that are held back, schemas and a conversation's
 * waiting are decided here, so that the agent's loop need not know of them.
 */

import { defined } from "../../core/defined.ts";
import type { Ending } from "../../core/model/agent.ts";
import { callsIn, INTERRUPTED_STOP, type ToolUseBlock, textOf } from "../../core/model/message.ts";
import { HELD_BACK, INTERRUPTED_BY_PERSON } from "../../core/model/message-marks.ts";
import type { AskKind, ContextFull } from "../../core/model/model.ts";
import { BY_PERSON } from "../../core/model/placeholder-texts.ts";
import type { FromAgent, Over, Reply, Summary } from "../../wire/agent-messages.ts";
import type { CallEnd } from "../decide/inputs-and-effects.ts";
import type { CheckedAnswer } from "./answer-schema.ts";
import { type NextStep, NONE_UNFINISHED, nextStep } from "./next-step.ts";

export interface ReplyFacts {
	/** The agent is the root of a conversation: it waits where others are over. */
	readonly isConversation: boolean;
	/** The answer is what a command printed, which may be nothing. */
	readonly mayAnswerNothing: boolean;
	/** The agent waits for a person from its start on. */
	readonly isWaiting?: boolean;
	/** Whether an answer fits the schema that it has to fit; absent without one. */
	readonly check?: (answer: string) => Promise<CheckedAnswer>;
}

export type Decided =
	| { readonly is: "reply"; readonly message: Reply | Over | Summary }
	/** The agent waits for a person. `reason`: why it gave no answer, if it did not. */
	| { readonly is: "wait"; readonly message: Reply; readonly reason: string | undefined };

type Answer = Extract<CallEnd, { say: "answer" }>;
type Failed = Extract<CallEnd, { say: "ask_failed" }> & { readonly partial: string };
type Refused = Extract<CallEnd, { say: "ask_refused" }> & { readonly partial: string };
/** How a call ended, with the text that was received before it failed. */
export type CallOutcome = Answer | Failed | Refused;
type Limit = Extract<Ending, { by: "limit" }>;

const REPORT =
	"You can make no more calls and run no more commands. Report now what you have: what is done, what you found, what is left.";
const JSON_REPORT =
	"You can make no more calls and run no more commands. Answer now with what you have: only the JSON value, matching the schema.";
const NOTHING_SHORTER = "there are no older messages to summarize";
const MAX_ANSWERS = 4; // to one task, of which none fits the schema

export class Replies {
	private readonly facts: ReplyFacts;
	/** The limit that was reached: only a report may follow. */
	private limit: Limit | undefined;
	private hasReportedAgain = false;
	private unfinished = NONE_UNFINISHED;
	private wrongAnswers = 0;
	/** A person has ended what the agent does. */
	private isInterrupted = false;
	private isWaiting: boolean;
	/** No other command begins, for this reason. */
	private noCommands: string | undefined;
	/** The reply to an agent that cannot do what the newest one asks for. */
	private ifStuck: (() => Decided) | undefined;
	/** Of the ask that is open, or was the newest. */
	private kind: AskKind = "turn";

	constructor(facts: ReplyFacts) {
		this.facts = facts;
		this.isWaiting = facts.isWaiting === true;
	}

	/** Takes an ask in. `decided`: no call is made for it. */
	asked({ isSummary, isStuck }: Pick<Extract<FromAgent, { say: "ask" }>, "isSummary" | "isStuck">): {
		kind: AskKind;
		decided?: Decided | undefined;
	} {
		if (isSummary) {
			this.kind = "compaction";
			return { kind: "compaction", ...(this.limit !== undefined && { decided: reply(NO_SUMMARY) }) };
		}
		const { ifStuck } = this;
		this.ifStuck = undefined;
		this.kind = this.limit === undefined ? "turn" : "last";
		if (this.isWaiting) return { kind: this.kind, decided: this.wait({}, isStuck ? NOTHING_SHORTER : undefined) };
		return { kind: this.kind, decided: isStuck ? ifStuck?.() : undefined };
	}

	/** The text so far of the answer of which `text` is the newest part: the parts of one that was cut, joined. */
	textSoFar(text: string): string {
		return text === "" ? "" : this.unfinished.text + text;
	}

	/** A person ends what the agent does. */
	interrupt(): void {
		if (!this.isWaiting) this.isInterrupted = true;
	}

	/** Only a report may follow, for this reason. */
	stopCommands(reason: string): void {
		this.noCommands = reason;
	}

	/** The agent, which waits, is let go on. */
	goOn(): Reply {
		this.isWaiting = false;
		this.isInterrupted = false;
		this.noCommands = undefined;
		this.limit = undefined;
		this.hasReportedAgain = false;
		this.unfinished = NONE_UNFINISHED;
		this.wrongAnswers = 0;
		return { say: "reply" };
	}

	/** The agent, which waits, makes its history shorter because a person asks for it, and waits again. */
	compact(): Reply {
		return { say: "reply", shorten: { by: "person" } };
	}

	after(outcome: CallOutcome): Decided | Promise<Decided> {
		if (this.kind === "compaction") return reply(summaryOf(outcome));
		switch (outcome.say) {
			case "answer":
				return outcome.stopReason === INTERRUPTED_STOP ? this.interrupted(outcome) : this.answered(outcome);
			case "ask_failed":
				return this.failed(outcome);
			case "ask_refused":
				return this.refused(outcome);
		}
	}

	private answered(answer: Answer): Decided | Promise<Decided> {
		const said = this.saidIn(answer);
		if (this.limit !== undefined) return this.reported(answer, this.limit, said);
		const step = nextStep(answer, this.unfinished, this.facts.mayAnswerNothing);
		switch (step.do) {
			case "answer":
				if (answer.isHeldBack) return this.again(said, HELD_BACK);
				return this.end({ by: "answer" }, said, step.text);
			case "fail":
				return this.end({ by: "failure", reason: step.reason, exitCode: 1 }, said);
			case "run":
				this.unfinished = NONE_UNFINISHED;
				return reply({ ...said, ...this.refusalOf(step.calls), ...told(answer.notes) });
			case "continue":
			case "compact":
				return this.continued(step, answer, said);
		}
	}

	private continued(
		{ do: how, unfinished, calls, instruction }: Extract<NextStep, { do: "continue" | "compact" }>,
		{ stopReason, notes = [] }: Answer,
		said: Reply,
	): Decided {
		this.unfinished = unfinished;
		const words =
			calls.length > 0 ? { ...refusing(calls, instruction), ...told(notes) } : told([instruction, ...notes]);
		return how === "compact" ? this.shorten(stopReason, {}, { ...said, ...words }) : reply({ ...said, ...words });
	}

	/** A report that was cut since the context was full is continued once; where a tool was asked for, the report is asked for again. */
	private reported(answer: Answer, limit: Limit, said: Reply): Decided | Promise<Decided> {
		const { content, stopReason, reportsAgain } = answer;
		const refused = refusing(callsIn(content), this.report);
		if (reportsAgain && refused.refused !== undefined) return reply({ ...said, ...refused });
		if (stopReason !== "model_context_window_exceeded" || this.hasReportedAgain)
			return this.end(limit, said, said.text ?? textOf(content));
		this.unfinished = { ...this.unfinished, text: this.unfinished.text + textOf(content) };
		return this.reportOnceMore({}, limit, { ...said, ...refused });
	}

	private failed({
		reason,
		exitCode,
		partial,
		contextFull,
		refusesThinking,
		output,
	}: Failed): Decided | Promise<Decided> {
		const { limit } = this;
		const said = this.saidBefore(partial, output);
		const ending = limit ?? ({ by: "failure", reason, exitCode } as const);
		if (refusesThinking) {
			this.ifStuck = () => this.endNow(ending, said);
			return reply({ ...said, shorten: { by: "thinking" } });
		}
		if (contextFull === undefined) return this.end(ending, said, said.text);
		return limit === undefined
			? this.shorten(reason, contextFull, said)
			: this.reportOnceMore(contextFull, limit, said);
	}

	private refused({ limit, reason, partial }: Refused): Decided | Promise<Decided> {
		const said = this.saidBefore(partial);
		if (this.limit !== undefined) return this.end(this.limit, said, said.text);
		this.limit = { by: "limit", limit, reason };
		return this.again(said, `Stop here: ${reason}. ${this.report}`);
	}

	/** What an interrupted call had said stays in the history; nothing of it is run. */
	private interrupted(answer: Answer): Decided {
		const said = answer.content.length === 0 ? ({ say: "reply" } as const) : this.saidIn(answer);
		return this.endNow({ by: "failure", reason: BY_PERSON, exitCode: 1 }, said, { isCut: true });
	}

	private shorten(reason: string, full: ContextFull, said: Reply): Decided {
		this.ifStuck = () => this.endNow({ by: "failure", reason: noRoom(reason), exitCode: 1 }, { say: "reply" });
		return reply({ ...said, shorten: { by: "service", full } });
	}

	private reportOnceMore(full: ContextFull, limit: Limit, said: Reply): Decided {
		if (this.hasReportedAgain) return this.endNow(limit, said);
		this.hasReportedAgain = true;
		this.ifStuck = () => this.endNow(limit, { say: "reply" });
		return reply({ ...said, shorten: { by: "report", full } });
	}

	/** The model gets a message, and answers again. */
	private again(said: Reply, words: string): Decided {
		this.unfinished = NONE_UNFINISHED;
		return reply({ ...said, tell: [words] });
	}

	/** `text`: what the agent says last. Where that has to fit a schema, it is checked first. */
	private end(ending: Ending, said: Reply, text?: string): Decided | Promise<Decided> {
		const { check } = this.facts;
		const spoken = ending.by === "answer" ? { ...said, ...defined({ text }) } : said;
		if (check === undefined || text === undefined) return this.endNow(ending, spoken);
		return check(text).then((checked) => this.judged(checked, ending, spoken));
	}

	private judged(checked: CheckedAnswer, ending: Ending, said: Reply): Decided {
		if (checked.is === "fits") return this.endNow(ending, { ...said, text: checked.text }, { isFit: true });
		if (ending.by !== "answer") return this.endNow(ending, said);
		this.wrongAnswers += 1;
		const { problems } = checked;
		const { text: _, ...unsaid } = said;
		if (this.wrongAnswers < MAX_ANSWERS && !this.facts.mayAnswerNothing) return this.again(unsaid, misfit(problems));
		const tried = this.wrongAnswers === 1 ? "" : ` (answered ${this.wrongAnswers} times)`;
		const reason = `the answer does not match the JSON Schema${tried}: ${problems.join("; ")}`;
		return this.endNow({ by: "failure", reason, exitCode: 1 }, { ...said, text: "" });
	}

	/** A failure or a limit ends no conversation. */
	private endNow(ending: Ending, said: Reply, { isCut = false, isFit = false } = {}): Decided {
		if (this.facts.isConversation) return this.wait(said, isCut ? undefined : whyNoAnswer(ending));
		const { answer, output } = said;
		const text = said.text ?? (textOf(answer?.content ?? []) || undefined);
		const isUnfit = this.facts.check !== undefined && !isFit;
		return reply({ say: "over", ending, ...defined({ text, output }), ...(isUnfit && { isUnfit }) });
	}

	private wait({ answer, text, output }: Partial<Reply>, reason: string | undefined): Decided {
		const { isInterrupted } = this;
		this.isWaiting = true;
		this.isInterrupted = false;
		this.limit = undefined;
		const tell = isInterrupted ? [INTERRUPTED_BY_PERSON] : undefined;
		const message: Reply = { say: "reply", waits: true, ...defined({ answer, text, output, tell }) };
		return { is: "wait", message, reason: isInterrupted ? undefined : reason };
	}

	private saidIn({ content, usage, output }: Answer): Reply {
		const text = this.unfinished.text === "" ? undefined : this.textSoFar(textOf(content)) || undefined;
		return { say: "reply", answer: { content, usage }, ...defined({ text, output }) };
	}

	private saidBefore(partial: string, output?: string): Reply {
		return { say: "reply", ...defined({ text: this.textSoFar(partial) || undefined, output }) };
	}

	private refusalOf(calls: readonly ToolUseBlock[]): Pick<Reply, "refused"> {
		const reason = this.noCommands ?? (this.isInterrupted ? BY_PERSON : undefined);
		return reason === undefined ? {} : refusing(calls, reason);
	}

	private get report(): string {
		return this.facts.check === undefined ? REPORT : JSON_REPORT;
	}
}

export const NO_SUMMARY: Summary = { say: "summary", is: "none" };

function summaryOf(outcome: CallOutcome): Summary {
	if (outcome.say === "ask_refused") return NO_SUMMARY;
	if (outcome.say === "ask_failed") {
		if (outcome.contextFull !== undefined) return { say: "summary", is: "too_long" };
		return outcome.refusesThinking ? { say: "summary", is: "again", withoutThinking: true } : NO_SUMMARY;
	}
	const text = textOf(outcome.content).trim();
	switch (outcome.stopReason) {
		case INTERRUPTED_STOP:
			return { say: "summary", is: "interrupted" };
		case "model_context_window_exceeded":
			return { say: "summary", is: "too_long" };
		case "tool_use":
			return { say: "summary", is: "again" };
		case "end_turn":
		case "stop_sequence":
			return text === "" ? NO_SUMMARY : { say: "summary", is: "written", text };
		default:
			return NO_SUMMARY;
	}
}

function reply(message: Reply | Over | Summary): Decided {
	return { is: "reply", message };
}

/** The calls are not run, and the result of each is the reason. */
function refusing(calls: readonly ToolUseBlock[], reason: string): Pick<Reply, "refused"> {
	if (calls.length === 0) return {};
	return { refused: Object.fromEntries(calls.map(({ id }) => [id, reason])) };
}

function told(words: readonly string[] = []): Pick<Reply, "tell"> {
	return words.length === 0 ? {} : { tell: [...words] };
}

function noRoom(reason: string): string {
	return `the model's context is full and cannot be reduced further (${reason}): give it a smaller task`;
}

function misfit(problems: readonly string[]): string {
	return `Your answer does not match the required JSON Schema:
${problems.map((problem) => `- ${problem}`).join("\n")}
Answer again with only the complete JSON value, and nothing before or after it.`;
}

/** A limit ends no conversation: the reason says how to continue. */
function whyNoAnswer(ending: Ending): string | undefined {
	if (ending.by !== "limit") return "reason" in ending ? ending.reason : undefined;
	const { limit, reason } = ending;
	if (limit === "max-turns")
		return `${reason}: the limit applies to each message; send another one, or raise it with /limits ${limit}`;
	return `${reason}; raise it with /limits ${limit}`;
}
