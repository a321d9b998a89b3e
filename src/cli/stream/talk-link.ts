/**
 * A conversation's line to the supervisor in this process, as a watcher: messages wait here while many wait there, and at the end of
 * the input the conversation is closed when its root listens.
 */

import type { LimitReached } from "../../core/limits/limits.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { ClientListener, WatcherRequest } from "../../supervisor/clients/client.ts";
import { givenAnswer, type WrittenAnswer } from "../../wire/open-requests.ts";
import type { ToWatcher, Watcher } from "../../wire/watcher-messages.ts";

const REPLIES: ReadonlySet<ToWatcher["say"]> = new Set(["sent", "refused", "interrupted"]);
const MOST_WAITING = 10; // the supervisor takes a few more
const MOST_KEPT = 100;

export interface TalkLinkDeps {
	readonly listener: Pick<ClientListener, "onWatcherMessage">;
	readonly run: () => RunState;
	/** A message was not taken. */
	readonly onRefused: (why: string) => void;
	/** Why no message can be answered any more. */
	readonly whyNever: () => LimitReached | undefined;
	/** A message has no answer because of that. */
	readonly onNever: (limit: LimitReached) => void;
}

export class TalkLink {
	private readonly deps: TalkLinkDeps;
	private readonly kept: string[] = [];
	private readonly open: ((reply: ToWatcher | undefined) => void)[] = [];
	private isSending = false;
	private isEnded = false;
	private onRoom = () => {};

	constructor(deps: TalkLinkDeps) {
		this.deps = deps;
		deps.listener.onWatcherMessage(this.watcher, { say: "watch", by: null }); // a conversation that nobody watches is closed
	}

	private readonly watcher: Watcher = {
		unsentBytes: 0,
		send: (message) => {
			if (REPLIES.has(message.say)) this.open.shift()?.(message);
		},
		close: () => {
			for (const answer of this.open.splice(0)) answer(undefined);
			this.onRoom();
		},
	};

	/** Resolves when more can be said. */
	async say(text: string): Promise<void> {
		this.kept.push(text);
		void this.sendAll();
		if (this.kept.length < MOST_KEPT) return;
		await new Promise<void>((resolve) => {
			this.onRoom = resolve;
		});
	}

	/** Resolves to why it could not be, undefined when it was. */
	async interrupt(): Promise<string | undefined> {
		const reply = await this.ask({ say: "interrupt", agent: ROOT, by: null });
		return reply?.say === "interrupted" ? undefined : whyOf(reply);
	}

	/** Why it is not taken, undefined when it is. It is answered at once, so no other request waits before it. */
	answer(question: number, written: WrittenAnswer): string | undefined {
		const what = this.deps.run().questions?.find(({ number }) => number === question)?.what;
		const answer = givenAnswer(written, what);
		if (typeof answer === "string") return answer;
		const replies: ToWatcher[] = [];
		const watcher = { ...this.watcher, send: (message: ToWatcher) => replies.push(message) };
		this.deps.listener.onWatcherMessage(watcher, { say: "answer", question, answer, by: null });
		const [reply] = replies;
		return reply?.say === "answer_taken" ? undefined : whyOf(reply);
	}

	/** Nothing more is said. */
	end(): void {
		this.isEnded = true;
		this.look();
	}

	/** To be called after each event: messages may have been taken, or the root listen. */
	look(): void {
		if (this.kept.length > 0) void this.sendAll();
		else if (this.isEnded && !this.isSending && this.root()?.state.is === "listening") void this.close();
	}

	private root() {
		return this.deps.run().agents[ROOT];
	}

	/** While the root works, a message goes out with its next call; else one at a time, so that each has an answer. */
	private hasRoom(): boolean {
		const { state, messages = [] } = this.root() ?? {};
		switch (state?.is) {
			case undefined: // it has not joined
			case "ended": // it goes on with a run that was over
			case "queued":
				return false;
			case "listening":
				return messages.length === 0;
			case "thinking":
			case "running":
			case "waiting":
				return messages.length < MOST_WAITING && this.deps.whyNever() === undefined; // which is told behind the answer
		}
	}

	private async sendAll(): Promise<void> {
		if (this.isSending) return;
		this.isSending = true;
		while (this.kept.length > 0 && this.hasRoom()) {
			const text = this.kept.shift() ?? "";
			const never = this.deps.whyNever();
			const reply = never === undefined ? await this.ask({ say: "send", agent: ROOT, by: null, text }) : undefined;
			if (never !== undefined) this.deps.onNever(never);
			else if (reply?.say !== "sent") this.deps.onRefused(whyOf(reply));
		}
		this.isSending = false;
		if (this.kept.length < MOST_KEPT) this.onRoom();
		if (this.isEnded && this.kept.length === 0) this.look();
	}

	/** Refused when the root has begun with what was said last: then it is asked again when it listens. */
	private async close(): Promise<void> {
		this.isSending = true;
		await this.ask({ say: "close", by: null });
		this.isSending = false;
	}

	private ask(request: WatcherRequest): Promise<ToWatcher | undefined> {
		return new Promise((resolve) => {
			this.open.push(resolve);
			this.deps.listener.onWatcherMessage(this.watcher, request);
		});
	}
}

function whyOf(reply: ToWatcher | undefined): string {
	return reply?.say === "refused" ? reply.reason : "the run has ended";
}
