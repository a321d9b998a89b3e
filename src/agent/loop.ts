/**
 * The agent's loop: ask the model, run the commands that its answer asks for, send what they printed, until it answers
 * without a command. Everything else (limits, slots, money, records) is the supervisor's, at the other end of the link.
 */
import type { Ending } from "../core/agent.ts";
import { type AssistantBlock, type ContextFull, type Tool, textOf } from "../core/model.ts";
import type { UserEntry } from "../core/transcript.ts";
import { notRun } from "./bash/not-run.ts";
import { type CompactionDeps, Compactor } from "./context/compaction.ts";
import type { History } from "./context/history.ts";
import { type NextStep, NONE_UNFINISHED, nextStep } from "./next-step.ts";
import { type CallResults, type Said, saying } from "./said.ts";
import { type Reply, SUPERVISOR_GONE, type SupervisorClient } from "./supervisor-client.ts";

export interface LoopOptions extends Pick<CompactionDeps, "contextTokens" | "compactAt"> {
	link: Pick<SupervisorClient, "ask" | "tell" | "stopped" | "partial">;
	/** Empty for a new agent. */
	history: History;
	/** What is said first: the task, or what a resumed agent is told. */
	opening: Said;
	/** Of before, where it was resumed. */
	lastWords?: string;
	system: string;
	tools: Tool[];
	mayAnswerNothing: boolean;
	/** Runs the calls side by side; one result a call, in their order. */
	runCalls: (calls: Extract<AssistantBlock, { type: "tool_use" }>[]) => Promise<CallResults>;
	now: () => number;
}

export interface LoopEnd {
	ending: Ending;
	/** The answer, or the newest text when there is none. */
	lastWords: string;
}

const REPORT =
	"You can make no more calls, and no more commands run. Report now what you have: what is done, what you found, what is left.";

export function runLoop(options: LoopOptions): Promise<LoopEnd> {
	return new Loop(options).run();
}

class Loop {
	private readonly options: LoopOptions;
	private readonly compactor: Compactor;
	private lastWords: string;
	private limit: Ending | undefined;
	private isReportRepeated = false;
	private unfinished = NONE_UNFINISHED;

	constructor(options: LoopOptions) {
		this.options = options;
		this.lastWords = options.lastWords ?? "";
		this.compactor = new Compactor(options);
	}

	async run(): Promise<LoopEnd> {
		this.say(this.options.opening);
		for (;;) {
			const end = await this.turn();
			if (end !== undefined) return end;
		}
	}

	/** Undefined: another one follows. */
	private async turn(): Promise<LoopEnd | undefined> {
		const { link, system, tools, history } = this.options;
		if (this.limit === undefined && this.compactor.isDue()) {
			if ((await this.compactor.compact()) === "stopped") return this.stopped();
			this.sayNotes();
		}
		const request = { system, tools, messages: history.messages, mayUseTools: this.limit === undefined };
		const reply = await link.ask(request, this.limit === undefined ? "turn" : "last");
		if (reply === undefined) return this.stopped(link.partial);
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
		this.lastWords = this.soFar(partial);
		if (this.limit !== undefined)
			return contextFull && this.mayReportOnceMore(contextFull) ? undefined : this.atLimit(this.limit);
		if (contextFull) return this.roomOrEnd(reason, contextFull);
		return { ending: { by: "failure", reason, exitCode }, lastWords: this.lastWords };
	}

	private refused({ limit, reason, partial }: Extract<Reply, { say: "ask_refused" }>): LoopEnd | undefined {
		this.lastWords = this.soFar(partial); // until there is a report
		if (this.limit !== undefined) return this.atLimit(this.limit);
		this.limit = { by: "limit", limit, reason };
		this.unfinished = NONE_UNFINISHED;
		this.say(saying(`Stop here: ${reason}. ${REPORT}`));
		return undefined;
	}

	private async answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const { link, history, mayAnswerNothing, runCalls } = this.options;
		const { content, usage, stopReason, notes = [] } = reply;
		history.add({ role: "assistant", content, usage });
		this.compactor.answered();
		this.lastWords = this.soFar(textOf(content));
		if (this.limit !== undefined) return this.reported(reply, this.limit);
		const step = nextStep(reply, this.unfinished, mayAnswerNothing);
		if (step.do === "answer") return { ending: { by: "answer" }, lastWords: step.text };
		if (step.do === "fail") return this.failure(step.reason);
		const results = step.do === "run" ? await runCalls(step.calls) : notRunOrSaid(step);
		if (link.stopped !== undefined) return { ending: link.stopped, lastWords: this.lastWords };
		this.unfinished = step.do === "run" ? NONE_UNFINISHED : step.unfinished;
		this.say({ ...results, content: [...results.content, ...saying(...notes).content] });
		return step.do === "compact" ? this.roomOrEnd(stopReason) : undefined;
	}

	/** A report that was cut since the context was full is gone on with. */
	private reported({ content, stopReason }: Extract<Reply, { say: "answer" }>, limit: Ending): LoopEnd | undefined {
		const isCut = stopReason === "model_context_window_exceeded";
		if (!isCut || !this.mayReportOnceMore({})) return this.atLimit(limit);
		this.unfinished = { ...this.unfinished, said: this.unfinished.said + textOf(content) };
		return undefined;
	}

	/** There is room for it, once. */
	private mayReportOnceMore(full: ContextFull): boolean {
		if (this.isReportRepeated) return false;
		this.isReportRepeated = true;
		return this.compactor.makeRoomForReport(full) === "made";
	}

	private atLimit(ending: Ending): LoopEnd {
		return { ending, lastWords: this.lastWords };
	}

	private async roomOrEnd(reason: string, full: ContextFull = {}): Promise<LoopEnd | undefined> {
		const room = await this.compactor.makeRoom(full);
		if (room === "stopped") return this.stopped();
		this.sayNotes();
		if (room === "made") return undefined;
		return this.failure(
			`the model's context is full, and nothing more can be left out (${reason}): give it a smaller task`,
		);
	}

	private failure(reason: string): LoopEnd {
		return { ending: { by: "failure", reason, exitCode: 1 }, lastWords: this.lastWords };
	}

	private stopped(partial = ""): LoopEnd {
		return { ending: this.options.link.stopped ?? SUPERVISOR_GONE, lastWords: this.soFar(partial) };
	}

	/** With the parts before it, if an answer was cut. */
	private soFar(text: string): string {
		return text === "" ? this.lastWords : this.unfinished.said + text;
	}

	private sayNotes(): void {
		const notes = this.compactor.notes.splice(0);
		if (notes.length > 0) this.say(saying(...notes));
	}

	private say({ content, commands }: Said): void {
		const { history, link, now } = this.options;
		const at = now();
		const entry: UserEntry = { role: "user", content, at, ...(commands === undefined ? {} : { commands }) };
		history.add(entry);
		link.tell({ say: "record", entry });
	}
}

function notRunOrSaid({ calls, words }: Extract<NextStep, { do: "go_on" | "compact" }>): Said {
	if (calls.length === 0) return saying(words);
	const results = calls.map((call) => notRun(call, words));
	return { content: results.map(({ block }) => block), commands: results.map(({ record }) => record) };
}
