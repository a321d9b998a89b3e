/** Undo: what would change is shown first, then the person says what is put back. Pure. */

import { isRefusal, type Key } from "../../tui/keys/key.ts";
import { answerOf, unanswered } from "./answer-time.ts";
import type { CutAt } from "./chat-end.ts";
import { type ChatState, isWorking, othersAlive, type Undoing } from "./chat-state.ts";
import { andThen, complainOf, type Next, next, tell } from "./effect.ts";
import { leave } from "./leaving.ts";

export type UndoFound =
	| { readonly is: "nothing"; readonly reason: string }
	/** `text`: what would change. */
	| { readonly is: "undo"; readonly text: string; readonly before: CutAt | undefined };

/** `to`: the number of a kept state; undefined: before the newest message since which anything has changed. */
export function lookAtUndo(state: ChatState, to: number | undefined): Next {
	if (isWorking(state) || othersAlive(state) > 0)
		return next(state, complainOf("agents are working and may write files: stop them first with Esc or /stop"));
	return next(state, { do: "find_undo", to });
}

export function undoFound(state: ChatState, found: UndoFound): Next {
	if (found.is === "nothing") return next(state, tell(`nothing to undo: ${found.reason}`, "dim"));
	return next(
		{ ...state, question: { is: "undoing", before: found.before, answeredFrom: state.now } },
		tell(found.text),
	);
}

export function pressUndoing(state: ChatState, { before }: Undoing, key: Key): Next {
	const answered: ChatState = { ...state, question: undefined };
	if (isRefusal(key)) return next(answered, tell("nothing restored", "dim"));
	const name = answerOf(state, key);
	if (name === "f") return next(answered, { do: "put_back_files", cut: undefined });
	if (name === "b" && before !== undefined) return next(answered, { do: "put_back_files", cut: before });
	return unanswered(state, key);
}

/** The files are as they were; the conversation goes on in a copy that ends before the message. */
export function filesPutBack(state: ChatState, text: string, cut: CutAt | undefined): Next {
	if (cut === undefined) return next(state, tell(text));
	const after =
		cut.message < 2
			? ({ is: "new", draft: cut.text } as const)
			: ({ is: "resume", run: undefined, isFork: true, cut } as const);
	return andThen(next(state, tell(text)), (told) => leave(told, after));
}

export function undoQuestion({ before }: Undoing): string {
	const both = before === undefined ? "" : " · b files and conversation";
	return `Restore: f files${both} · Esc cancel`;
}
