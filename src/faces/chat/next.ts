/** The state after an input, and what is to be done. */
import type { ChatState } from "./chat-state.ts";
import type { Effect } from "./effect.ts";

export interface Next {
	readonly state: ChatState;
	readonly effects: readonly Effect[];
}

export function next(state: ChatState, ...effects: readonly Effect[]): Next {
	return { state, effects };
}

/** The second step after the first, and the effects of both. */
export function andThen(first: Next, step: (state: ChatState) => Next): Next {
	const second = step(first.state);
	return { state: second.state, effects: [...first.effects, ...second.effects] };
}
