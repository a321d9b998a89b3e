/** Takes messages to agents in, or says why an agent cannot get one any more; gives an agent those that its call carries. */
import type { AgentId } from "../../core/model/agent.ts";
import { MAX_MESSAGE_CHARS } from "../../core/model/told-message.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RequestOf } from "../clients/client-listener.ts";
import type { Effect } from "../decide/effect.ts";
import { isTalkedWith } from "../decide/listening.ts";
import { blockOf, mayGetMessage } from "../decide/messages.ts";
import type { RunCore } from "../run/run-core.ts";
import type { UndoNotes } from "../worktrees/undo-notes.ts";

const TOO_LONG = `a message can have at most ${MAX_MESSAGE_CHARS} characters: put it in a file and send its path`;

export class Mailbox {
	private readonly core: RunCore;
	private readonly undoNotes: UndoNotes;

	constructor(core: RunCore, undoNotes: UndoNotes) {
		this.core = core;
		this.undoNotes = undoNotes;
	}

	handle(watcher: Pick<Watcher, "send">, { agent, text, by: from }: RequestOf<"send">): void {
		if (from !== null && text.length > MAX_MESSAGE_CHARS) return watcher.send({ say: "refused", reason: TOO_LONG });
		const sent = mayGetMessage(this.core.state, agent, from);
		if (sent.is === "refused") return watcher.send({ say: "refused", reason: sent.reason });
		const isTalk = from === null && isTalkedWith(this.core.run, agent);
		this.core.dispatch({ is: "message", agent, from, text: isTalk ? this.undoNotes.with(text) : text });
		watcher.send({ say: "sent", agent, arrives: sent.arrives });
	}

	/** Records the messages, then tells the agent, before the answer of the call that carries them. */
	deliver({ agent, messages }: Extract<Effect, { do: "deliver" }>): void {
		const { run } = this.core;
		const told = messages.map((message) => ({ from: message.from, block: blockOf(run, agent, message) }));
		const at = this.core.host.now();
		for (const { from, block } of told)
			this.core.journal.message(agent, { role: "user", content: [block], at, from: senderOf(from) });
		const content = told.map(({ block }) => block);
		this.core.registry.send(agent, { say: "told", content });
	}
}

function senderOf(from: AgentId | null): string {
	return from ?? "person";
}
