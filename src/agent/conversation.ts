/**
 * The root of a conversation: it works until it has an answer, as every agent does, and then listens until the supervisor lets
 * it go on with what a person has said. A failure or a limit ends no conversation. What a person interrupts is ended, and
 * what came of it stays in the history.
 */
import type { Ending } from "../core/agent.ts";
import { defined } from "../core/defined.ts";
import { INTERRUPTED_STOP, textOf } from "../core/message.ts";
import { INTERRUPTED_BY_PERSON } from "../core/told-message.ts";
import type { ToolCalls } from "./bash/tool-calls.ts";
import { Loop, type LoopEnd, type LoopOptions } from "./loop.ts";
import { type Reply, SUPERVISOR_GONE, type SupervisorClient } from "./supervisor-client.ts";
import { userText } from "./user-content.ts";

export interface ConversationOptions extends LoopOptions {
	client: LoopOptions["client"] & Pick<SupervisorClient, "onTalk" | "onStop">;
	calls: Pick<ToolCalls, "stop" | "stoppedBecause">;
	/** Nothing is to be done before a person says something; `firstMessage` is told with that. */
	startsListening: boolean;
}

/** Ends when the person closes the conversation, or the agent is stopped. */
export function runConversation(options: ConversationOptions): Promise<LoopEnd> {
	return new Conversation(options).converse();
}

type Heard = "go_on" | "close" | undefined;

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
		client.onTalk = (say) => (say === "interrupt" ? this.interrupt() : this.onHeard?.(say));
		client.onStop = (ending) => {
			onStop(ending);
			this.onHeard?.(undefined);
		};
	}

	async converse(): Promise<LoopEnd> {
		const { firstMessage, startsListening } = this.options;
		let said = firstMessage;
		let reason: string | undefined;
		for (let isDue = !startsListening; ; isDue = true) {
			if (isDue) {
				const { ending, lastWords } = await this.work(said);
				this.lastWords = lastWords;
				reason = this.settle(ending);
				said = userText();
			}
			const heard = await this.listen(reason);
			if (heard !== "go_on") return { ending: this.endingAfter(heard), lastWords: this.lastWords };
		}
	}

	protected override turn(): Promise<LoopEnd | undefined> {
		return this.isInterrupted ? Promise.resolve(this.failure(BY_PERSON)) : super.turn();
	}

	/** What an interrupted call had said stays in the history; nothing of it is run. */
	protected override answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const { content, usage, stopReason } = reply;
		if (stopReason !== INTERRUPTED_STOP) return super.answered(reply);
		this.isCut = true;
		if (content.length > 0) this.options.history.add({ role: "assistant", content, usage });
		this.lastWords = this.textSoFar(textOf(content));
		return Promise.resolve(this.failure(BY_PERSON));
	}

	/** Notes an interruption for the model, and gives the reason why there is no answer, if another one is. */
	private settle(ending: Ending): string | undefined {
		const { isInterrupted, isCut } = this;
		this.isInterrupted = false;
		this.isCut = false;
		this.options.calls.stoppedBecause = undefined;
		if (isInterrupted) this.addUserMessage(userText(INTERRUPTED_BY_PERSON));
		return isInterrupted || isCut || !("reason" in ending) ? undefined : ending.reason;
	}

	private interrupt(): void {
		if (this.onHeard !== undefined) return; // nothing is under way
		this.isInterrupted = true;
		this.options.calls.stop(BY_PERSON);
	}

	private async listen(reason: string | undefined): Promise<Heard> {
		const { client } = this.options;
		if (client.stopped !== undefined) return undefined;
		client.tell({ say: "listen", ...defined({ reason }) });
		const heard = await new Promise<Heard>((resolve) => {
			this.onHeard = resolve;
		});
		this.onHeard = undefined;
		return heard;
	}

	private endingAfter(heard: "close" | undefined): Ending {
		return heard === "close" ? { by: "answer" } : (this.options.client.stopped ?? SUPERVISOR_GONE);
	}
}
