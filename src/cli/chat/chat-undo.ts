/** Undo in a conversation: what it would do, the doing of it, and the message at which the conversation is cut. */
import { AgentreeError } from "../../core/errors.ts";
import { withoutUndo } from "../../core/model/message-marks.ts";
import type { KeptState } from "../../core/schemas/kept-tree.ts";
import type { CutAt } from "../../faces/chat/chat-state.ts";
import type { UndoFound } from "../../faces/chat/questions.ts";
import { PLAIN } from "../../faces/print/paint.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { laterLines } from "../../project/undo/runs-later.ts";
import { personMessages } from "../sessions/session.ts";
import { keptStates, type RunUndo, runUndo } from "../undo/run-undo.ts";
import { changeLines, doneLines, undoLines } from "../undo/undo-lines.ts";
import type { ChatRun } from "./chat-run.ts";

interface ChatUndoOptions {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly home: string;
}

export class ChatUndo {
	readonly #options: ChatUndoOptions;
	#found: Extract<RunUndo, { is: "undo" }> | undefined;

	constructor(options: ChatUndoOptions) {
		this.#options = options;
	}

	/** `to`: the number of a kept state. */
	async find({ directory }: ChatRun, to: number | undefined): Promise<UndoFound> {
		const found = await runUndo(directory, to, hostOf(this.#options));
		if (found.is === "nothing") return found;
		this.#found = found;
		const text = undoLines(found, { paint: PLAIN, now: SYSTEM_CLOCK.now() }).join("\n");
		return { is: "undo", text, before: cutAt(directory, found.state) };
	}

	/** Does what was found last. Rejects with AgentreeError when the files cannot be kept as they are now. */
	async putBack(): Promise<string> {
		if (this.#found === undefined) throw new AgentreeError("refused", "nothing to undo");
		const { done, before } = await this.#found.putBack();
		return doneLines(done, before, "/undo").join("\n");
	}
}

/** What has changed since the first message of the conversation. */
export async function changesSinceBegin(run: ChatRun, options: ChatUndoOptions): Promise<string> {
	return [await changesIn(run, options), ...laterLines(run.later())].join("\n");
}

async function changesIn({ directory }: ChatRun, options: ChatUndoOptions): Promise<string> {
	const first = keptStates(directory).find(({ why }) => why.is === "message");
	if (first === undefined) return "no saved state: nothing has run so far, or the files cannot be saved";
	const found = await runUndo(directory, first.id, hostOf(options));
	if (found.is === "nothing")
		return found.isUnchanged
			? "nothing has changed since the chat began"
			: `changes cannot be determined: ${found.reason}`;
	return changeLines(found).join("\n");
}

function hostOf({ env, home }: ChatUndoOptions) {
	return { env, home, now: SYSTEM_CLOCK.now };
}

/** The message before which the state was kept: the newest one before that moment. */
function cutAt(directory: string, { why, at }: KeptState): CutAt | undefined {
	if (why.is !== "message") return undefined;
	const earlier = [...personMessages(directory)].filter((message) => message.at <= at);
	const text = earlier.at(-1)?.text;
	return text === undefined ? undefined : { message: earlier.length, text: withoutUndo(text) };
}
