/** The state that a conversation begins with: pure. */
import type { ChatState } from "./chat-state.ts";
import type { ChatOptions } from "./options.ts";

export function firstState({
	facts,
	choice,
	clock,
	opening,
}: Pick<ChatOptions, "facts" | "choice" | "clock" | "opening">): ChatState {
	const now = clock.now();
	return {
		...{ now, facts, choice, asks: [], unsent: [], heard: [], run: undefined, question: undefined, local: undefined },
		...{
			heldSince: new Map(),
			interruptsFirst: false,
			leaveUntil: 0,
			otherFaces: 0,
			showsThinking: false,
			attention: { hasFocus: undefined, actedAt: now },
		},
		link: { is: opening.is === "run" ? "open" : "none" },
	};
}
