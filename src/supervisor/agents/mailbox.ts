/** Takes messages to agents in, or says why an agent cannot get one any more; gives an agent those that its call carries. */

import type { AgentId } from "../../core/model/agent.ts";
import { ROOT } from "../../core/model/agent.ts";
import { MAX_MESSAGE_CHARS, PUT_BACK } from "../../core/model/message-marks.ts";
import { preview } from "../../core/preview.ts";
import type { KeptState } from "../../core/schemas/kept-tree.ts";
import { statesIn, storeIn } from "../../project/undo/tree-store.ts";
import { forEachEntry } from "../../record/read-events.ts";
import { undoDirectory } from "../../record/run-directory.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RequestOf } from "../clients/client.ts";
import type { EffectOf } from "../decide/inputs-and-effects.ts";
import { isTalkedWith } from "../decide/listening.ts";
import { blockOf, mayGetMessage } from "../decide/messages.ts";
import type { RunCore } from "../run/run-core.ts";

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
	deliver({ agent, messages }: EffectOf<"deliver">): void {
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

const MESSAGE_CHARS = 80;

/**
 * An undo of a person changes files behind the agent's back. The person's next message tells it, in one line behind their words:
 * so it costs no turn of its own, and stays in the transcript.
 */
export class UndoNotes {
	private readonly core: RunCore;

	constructor(core: RunCore) {
		this.core = core;
	}

	/** The message, and what was undone since the newest one, unless the agent has been told. */
	with(message: string): string {
		const root = this.core.run.agents[ROOT];
		const keptTree = root?.talked?.keptTree;
		const note =
			keptTree === undefined
				? undefined
				: undoNote(statesIn(storeIn(undoDirectory(this.core.directory)).states), keptTree);
		if (note === undefined || root?.messages?.some(({ text }) => text.includes(note))) return message;
		return this.isTold(note) ? message : `${message}\n\n${note}`;
	}

	private isTold(note: string): boolean {
		let isTold = false;
		forEachEntry(this.core.directory, ROOT, (entry) => {
			if (entry.role !== "user") return;
			isTold ||= entry.content.some((block) => block.type === "text" && block.text.includes(note));
		});
		return isTold;
	}
}

/**
 * `keptTree`: the newest state that was kept for a message which the agent knows. What was put back to a state after that one was
 * put forward again; in a copy of the conversation that ends before the message, the agent knows of nothing else.
 */
export function undoNote(states: readonly KeptState[], keptTree: number): string | undefined {
	const undone = states.filter(({ id, why }) => id > keptTree && why.is === "undo");
	const [first, last] = [undone[0], undone.at(-1)];
	if (first === undefined || last?.why.is !== "undo") return undefined;
	const { to, files } = last.why;
	const target = states.find(({ id }) => id === to);
	const isUnknown = target?.why.is === "message" && to > keptTree;
	return isUnknown || to === first.id ? undefined : noteOf(last.id, describe(target), files);
}

function describe(target: KeptState | undefined): string {
	if (target?.why.is !== "message") return target === undefined ? "earlier" : "before an undo";
	const { why } = target;
	const text = preview(why.text, MESSAGE_CHARS).replaceAll(/[[\]]/g, "");
	return text === "" ? "at the beginning" : `before my message "${text}"`;
}

function noteOf(id: number, when: string, files: number | undefined): string {
	const what = files === undefined ? "files" : files === 1 ? "1 file" : `${files} files`;
	const state = when === "earlier" ? "an earlier state" : `${files === 1 ? "its" : "their"} state ${when}`;
	return `${PUT_BACK}${what} to ${state} (undo ${id}). What you know of their contents may be out of date.]`;
}
