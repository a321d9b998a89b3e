/**
 * The root of a conversation: it works until it has an answer, as every agent does, and then listens until the supervisor lets
 * it go on with what a person has said. A failure or a limit ends no conversation. What a person interrupts is ended, and
 * what came of it stays in the history.
 */

import { defined } from "../core/defined.ts";
import type { Ending } from "../core/model/agent.ts";
import { INTERRUPTED_STOP, type Message, textOf } from "../core/model/message.ts";
import { INTERRUPTED_BY_PERSON } from "../core/model/told-message.ts";
import type { ToolCalls } from "./bash/tool-calls.ts";
import type { AnswerGate } from "./checked-loop.ts";
import { Compactor } from "./context/compaction.ts";
import { requestMessagesOf } from "./context/history.ts";
import { Loop, type LoopEnd, type LoopOptions } from "./loop.ts";
import { type Reply, SUPERVISOR_GONE, type SupervisorClient, type TalkMessage } from "./supervisor-client.ts";
import { userText } from "./user-content.ts";

export interface ConversationOptions extends LoopOptions {
	client: LoopOptions["client"] & Pick<SupervisorClient, "onTalk" | "onStop" | "earlyTalk">;
	calls: Pick<ToolCalls, "stop" | "stoppedBecause">;
	/** Nothing is to be done before a person says something; `firstMessage` is told with that. */
	startsListening: boolean;
	/** What each answer has to pass. */
	gate?: AnswerGate | undefined;
}

/** Ends when the person closes the conversation, or the agent is stopped. */
export function runConversation(options: ConversationOptions): Promise<LoopEnd> {
	return new Conversation(options).converse();
}

type Heard = "go_on" | "compact" | "close" | undefined;

const NOTHING_SHORTER = "there are no older messages that a summary would make shorter";
const BY_PERSON = "the person interrupted";

class Conversation extends Loop {
	protected override readonly options: ConversationOptions;
	/** The call or the commands under way are being ended. */
	private isInterrupted = false;
	/** An ask was answered with nothing, or with what an interrupted call had said. */
	private isCut = false;
	/** Set while it listens. */
	private onHeard: ((heard: Heard) => void) | undefined;

	constructor(options: ConversationOptions) {
		super(options);
		this.options = options;
		const { client } = options;
		const { onStop } = client;
		client.onTalk = (message) => this.hear(message);
		client.onStop = (ending) => {
			onStop(ending);
			this.onHeard?.(undefined);
		};
		for (const message of client.earlyTalk.splice(0)) this.hear(message);
	}

	async converse(): Promise<LoopEnd> {
		const { firstMessage, startsListening } = this.options;
		let said = firstMessage;
		let reason: string | undefined;
		for (let isDue = !startsListening; ; isDue = true) {
			if (isDue) {
				this.options.gate?.reset();
				const { ending, lastWords } = await this.work(said);
				this.lastWords = lastWords;
				reason = this.settle(ending);
				said = userText();
			}
			let heard = await this.listen(reason);
			while (heard === "compact") heard = await this.listen(await this.compact());
			if (heard !== "go_on") return { ending: this.endingAfter(heard), lastWords: this.lastWords };
		}
	}

	private hear(message: TalkMessage): void {
		switch (message.say) {
			case "go_on":
			case "compact":
			case "close":
				return this.onHeard?.(message.say);
			case "interrupt":
				return this.interrupt();
			case "history":
				return this.options.client.tell({ say: "history", messages: this.messagesSoFar() });
			case "changed":
				return this.change(message);
		}
	}

	/** Without an answer whose commands are under way: its results are still to come. */
	private messagesSoFar(): Message[] {
		const { messages, summary } = this.options.history.context;
		const last = messages.at(-1)?.message;
		const isOpen = last?.role === "assistant" && last.content.some(({ type }) => type === "tool_use");
		return requestMessagesOf({ messages: isOpen ? messages.slice(0, -1) : messages, summary });
	}

	private change({
		isOtherModel,
		promptBytes,
		contextTokens,
		compactAt,
	}: Extract<TalkMessage, { say: "changed" }>): void {
		Object.assign(this.options, { promptBytes, contextTokens, compactAt });
		this.compactor = new Compactor(this.options);
		if (isOtherModel) this.options.history.changeModel();
	}

	/** Gives the reason when nothing could be left out. */
	private async compact(): Promise<string | undefined> {
		const room = await this.compactor.compact();
		this.compactor.notes.splice(0); // of budgets, for a turn
		return room === "none" ? NOTHING_SHORTER : undefined;
	}

	protected override turn(): Promise<LoopEnd | undefined> {
		return this.isInterrupted ? Promise.resolve(this.failure(BY_PERSON)) : super.turn();
	}

	/** What an interrupted call had said stays in the history; nothing of it is run. */
	protected override async answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const { content, usage, stopReason } = reply;
		if (stopReason !== INTERRUPTED_STOP) return this.judged(await super.answered(reply));
		this.isCut = true;
		if (content.length > 0) this.options.history.add({ role: "assistant", content, usage });
		this.lastWords = this.textSoFar(textOf(content));
		return this.failure(BY_PERSON);
	}

	private judged(end: LoopEnd | undefined): LoopEnd | undefined {
		const judged = end && (this.options.gate?.judge(end) ?? end);
		if (typeof judged !== "string") return judged;
		this.answerAgain(judged);
		return undefined;
	}

	/** Notes an interruption for the model, and gives the reason why there is no answer, if another one is. */
	private settle(ending: Ending): string | undefined {
		const { isInterrupted, isCut } = this;
		this.isInterrupted = false;
		this.isCut = false;
		if (isInterrupted) this.addUserMessage(userText(INTERRUPTED_BY_PERSON));
		return isInterrupted || isCut ? undefined : whyNoAnswer(ending);
	}

	private interrupt(): void {
		if (this.onHeard !== undefined) return; // nothing is under way
		this.isInterrupted = true;
		this.options.calls.stop(BY_PERSON);
	}

	private async listen(reason: string | undefined): Promise<Heard> {
		const { client } = this.options;
		if (client.stopped !== undefined) return undefined;
		this.isInterrupted = false; // by one that came before anything had begun
		this.options.calls.stoppedBecause = undefined;
		client.tell({ say: "listen", ...defined({ reason }) });
		const heard = await new Promise<Heard>((resolve) => {
			this.onHeard = resolve;
		});
		this.onHeard = undefined;
		return heard;
	}

	private endingAfter(heard: Exclude<Heard, "go_on">): Ending {
		return heard === "close" ? { by: "answer" } : (this.options.client.stopped ?? SUPERVISOR_GONE);
	}
}

/** A limit ends no conversation: how it goes on is said, too. */
function whyNoAnswer(ending: Ending): string | undefined {
	if (ending.by !== "limit") return "reason" in ending ? ending.reason : undefined;
	const { limit, reason } = ending;
	if (limit === "max-turns")
		return `${reason}: each message has so many; say how to go on, or /limits ${limit} sets more`;
	return `${reason}: /limits ${limit} sets more`;
}
