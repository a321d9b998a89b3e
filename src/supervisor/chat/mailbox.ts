/** Takes messages to agents in, or says why an agent cannot get one any more; gives an agent those that its call carries. */
import type { AgentId } from "../../core/model/agent.ts";
import { MAX_MESSAGE_CHARS } from "../../core/model/told-message.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";
import type { RequestOf } from "../clients/client-listener.ts";
import type { Effect } from "../decide/effect.ts";
import type { Input } from "../decide/input.ts";
import { isTalkedWith } from "../decide/listening.ts";
import { blockOf, mayGetMessage } from "../decide/messages.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Journal } from "../record/journal.ts";
import type { UndoNotes } from "../worktrees/undo-notes.ts";

const TOO_LONG = `a message can have at most ${MAX_MESSAGE_CHARS} characters: put it in a file and send its path`;

interface MailboxDeps {
	registry: Pick<AgentRegistry, "send">;
	journal: Pick<Journal, "message">;
	now: () => number;
	undoNotes: Pick<UndoNotes, "with">;
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
}

export class Mailbox {
	private readonly deps: MailboxDeps;

	constructor(deps: MailboxDeps) {
		this.deps = deps;
	}

	handle(watcher: Pick<Watcher, "send">, { agent, text, by: from }: RequestOf<"send">): void {
		if (from !== null && text.length > MAX_MESSAGE_CHARS) return watcher.send({ say: "refused", reason: TOO_LONG });
		const sent = mayGetMessage(this.deps.state(), agent, from);
		if (sent.is === "refused") return watcher.send({ say: "refused", reason: sent.reason });
		const isTalk = from === null && isTalkedWith(this.deps.state().run, agent);
		this.deps.dispatch({ is: "message", agent, from, text: isTalk ? this.deps.undoNotes.with(text) : text });
		watcher.send({ say: "sent", agent, arrives: sent.arrives });
	}

	/** Records the messages, then tells the agent, before the answer of the call that carries them. */
	deliver({ agent, messages }: Extract<Effect, { do: "deliver" }>): void {
		const { run } = this.deps.state();
		const told = messages.map((message) => ({ from: message.from, block: blockOf(run, agent, message) }));
		const at = this.deps.now();
		for (const { from, block } of told)
			this.deps.journal.message(agent, { role: "user", content: [block], at, from: senderOf(from) });
		const content = told.map(({ block }) => block);
		this.deps.registry.send(agent, { say: "told", content });
	}
}

function senderOf(from: AgentId | null): string {
	return from ?? "person";
}
