/**
 * The agent's loop: ask the model, run the commands that its answer asks for, send what they printed, until it answers
 * without a command. Everything else (limits, slots, money, records) is the supervisor's, at the other end of the connection.
 */

import { defined } from "../core/defined.ts";
import type { Ending } from "../core/model/agent.ts";
import { type AssistantBlock, textOf } from "../core/model/message.ts";
import type { ContextFull } from "../core/model/model.ts";
import { HELD_BACK } from "../core/model/told-message.ts";
import type { UserEntry } from "../core/model/transcript.ts";
import { notRun } from "./bash/not-run.ts";
import { type CompactionDeps, Compactor } from "./context/compaction.ts";
import type { History } from "./context/history.ts";
import { type NextStep, NONE_UNFINISHED, nextStep } from "./next-step.ts";
import { type Reply, SUPERVISOR_GONE, type SupervisorClient } from "./supervisor-client.ts";
import { type CallResults, type UserContent, userText } from "./user-content.ts";

export interface LoopOptions extends Pick<CompactionDeps, "promptBytes" | "contextTokens" | "compactAt"> {
	client: Pick<SupervisorClient, "ask" | "tell" | "stopped" | "partial">;
	/** Empty for a new agent, filled from the transcript for a resumed one. */
	history: History;
	/** The task, or what a resumed agent is told. */
	firstMessage: UserContent;
	/** The newest text before the interruption, for a resumed agent. */
	lastWords?: string;
	/** The answer is what a command printed, which may be nothing. */
	mayAnswerNothing: boolean;
	/** Runs the calls side by side; gives one result a call, in the order of the calls. */
	runCalls: (calls: Extract<AssistantBlock, { type: "tool_use" }>[]) => Promise<CallResults>;
}

export interface LoopEnd {
	ending: Ending;
	/** The answer, or the newest text when there is none. */
	lastWords: string;
	/** What was said last is no answer, where that had to fit a schema: it is not printed. */
	isUnfit?: true;
}

const REPORT =
	"You can make no more calls, and no more commands run. Report now what you have: what is done, what you found, what is left.";

export function runLoop(options: LoopOptions): Promise<LoopEnd> {
	return new Loop(options).work(options.firstMessage);
}

export class Loop {
	protected lastWords: string;
	protected readonly options: LoopOptions;
	protected compactor: Compactor;
	private limit: Ending | undefined;
	private isReportRepeated = false;
	protected unfinished = NONE_UNFINISHED;
	/** What the model is told when it makes its last call. */
	protected readonly report: string = REPORT;

	constructor(options: LoopOptions) {
		this.options = options;
		this.lastWords = options.lastWords ?? "";
		this.compactor = new Compactor(options);
	}

	/** Works until there is an answer, or nothing more to be done. `said`: what the model is told first, which may be nothing. */
	async work(said: UserContent): Promise<LoopEnd> {
		this.limit = undefined;
		this.isReportRepeated = false;
		this.unfinished = NONE_UNFINISHED;
		if (said.content.length > 0) this.addUserMessage(said);
		for (;;) {
			const end = await this.turn();
			if (end !== undefined) return end;
		}
	}

	/** Makes one turn; undefined when another follows. */
	protected async turn(): Promise<LoopEnd | undefined> {
		const { client, history } = this.options;
		if (this.limit === undefined && this.compactor.isDue()) {
			if ((await this.compactor.compact()) === "stopped") return this.stopped();
			this.addNotes();
		}
		const reply = await client.ask(history.requestMessages, this.limit === undefined ? "turn" : "last");
		if (reply === undefined) return this.stopped(client.partial);
		switch (reply.say) {
			case "ask_failed":
				return this.failed(reply);
			case "ask_refused":
				return this.refused(reply);
			case "answer":
				return this.answered(reply);
		}
	}

	private async failed(reply: Extract<Reply, { say: "ask_failed" }>): Promise<LoopEnd | undefined> {
		const { reason, exitCode, partial, contextFull, refusesThinking } = reply;
		if (refusesThinking && this.options.history.dropThinking()) return undefined;
		this.lastWords = this.textSoFar(partial);
		if (this.limit !== undefined)
			return contextFull && this.mayReportOnceMore(contextFull) ? undefined : this.atLimit(this.limit);
		if (contextFull) return this.roomOrEnd(reason, contextFull);
		return { ending: { by: "failure", reason, exitCode }, lastWords: this.lastWords };
	}

	private refused({ limit, reason, partial }: Extract<Reply, { say: "ask_refused" }>): LoopEnd | undefined {
		this.lastWords = this.textSoFar(partial); // until there is a report
		if (this.limit !== undefined) return this.atLimit(this.limit);
		this.limit = { by: "limit", limit, reason };
		this.unfinished = NONE_UNFINISHED;
		this.addUserMessage(userText(`Stop here: ${reason}. ${this.report}`));
		return undefined;
	}

	protected async answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const { client, history, mayAnswerNothing, runCalls } = this.options;
		const { content, usage, stopReason, notes = [] } = reply;
		history.add({ role: "assistant", content, usage });
		this.compactor.answered();
		this.lastWords = this.textSoFar(textOf(content));
		if (this.limit !== undefined) return this.reported(reply, this.limit);
		const step = nextStep(reply, this.unfinished, mayAnswerNothing);
		if (step.do === "answer") return reply.isHeldBack ? this.heldBack() : answer(step.text);
		if (step.do === "fail") return this.failure(step.reason);
		const results = step.do === "run" ? await runCalls(step.calls) : notRunOrTold(step);
		if (client.stopped !== undefined) return { ending: client.stopped, lastWords: this.lastWords };
		this.unfinished = step.do === "run" ? NONE_UNFINISHED : step.unfinished;
		this.addUserMessage({ ...results, content: [...results.content, ...userText(...notes).content] });
		return step.do === "compact" ? this.roomOrEnd(stopReason) : undefined;
	}

	/** The answer is given again once the model has read the message that came meanwhile. */
	private heldBack(): undefined {
		this.answerAgain(HELD_BACK);
	}

	/** A report that was cut because the context was full is continued once; one that was not made as long as tools were allowed is asked for again. */
	private reported(
		{ content, stopReason, reportsAgain }: Extract<Reply, { say: "answer" }>,
		limit: Ending,
	): LoopEnd | undefined {
		const calls = content.filter((block) => block.type === "tool_use");
		if (reportsAgain && calls.length > 0) {
			this.addUserMessage(notRunOrTold({ calls, instruction: this.report }));
			return undefined;
		}
		const isCut = stopReason === "model_context_window_exceeded";
		if (!isCut || !this.mayReportOnceMore({})) return this.atLimit(limit);
		this.unfinished = { ...this.unfinished, text: this.unfinished.text + textOf(content) };
		return undefined;
	}

	/** True once, when room for the report could be made. */
	private mayReportOnceMore(full: ContextFull): boolean {
		if (this.isReportRepeated) return false;
		this.isReportRepeated = true;
		return this.compactor.makeRoomForReport(full) === "made";
	}

	/** What is wrong with the answer, for the model, which answers again. */
	protected answerAgain(words: string): void {
		this.unfinished = NONE_UNFINISHED;
		this.addUserMessage(userText(words));
	}

	private atLimit(ending: Ending): LoopEnd {
		return { ending, lastWords: this.lastWords };
	}

	private async roomOrEnd(reason: string, full: ContextFull = {}): Promise<LoopEnd | undefined> {
		const room = await this.compactor.makeRoom(full);
		if (room === "stopped") return this.stopped();
		this.addNotes();
		if (room === "made") return undefined;
		return this.failure(
			`the model's context is full, and nothing more can be left out (${reason}): give it a smaller task`,
		);
	}

	protected failure(reason: string): LoopEnd {
		return { ending: { by: "failure", reason, exitCode: 1 }, lastWords: this.lastWords };
	}

	private stopped(partial = ""): LoopEnd {
		return { ending: this.options.client.stopped ?? SUPERVISOR_GONE, lastWords: this.textSoFar(partial) };
	}

	/** The text of the answer so far: the parts of one that was cut, joined. */
	protected textSoFar(text: string): string {
		return text === "" ? this.lastWords : this.unfinished.text + text;
	}

	private addNotes(): void {
		const notes = this.compactor.notes.splice(0);
		if (notes.length > 0) this.addUserMessage(userText(...notes));
	}

	protected addUserMessage({ content, commands }: UserContent): void {
		const { history, client } = this.options;
		const entry: Omit<UserEntry, "at"> = { role: "user", content, ...defined({ commands }) };
		history.add(entry);
		client.tell({ say: "record", entry });
	}
}

function answer(text: string): LoopEnd {
	return { ending: { by: "answer" }, lastWords: text };
}

function notRunOrTold({
	calls,
	instruction,
}: Pick<Extract<NextStep, { do: "continue" | "compact" }>, "calls" | "instruction">): UserContent {
	if (calls.length === 0) return userText(instruction);
	const results = calls.map((call) => notRun(call, instruction));
	return { content: results.map(({ block }) => block), commands: results.map(({ record }) => record) };
}
