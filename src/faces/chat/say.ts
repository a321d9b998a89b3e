/** Messages to the agent that the person talks with, and what becomes of a text that cannot be taken: pure. */
import { ROOT } from "../../core/model/agent.ts";
import { MAX_TYPED_CHARS } from "../../core/model/told-message.ts";
import { type ChatState, isThere, isWorking } from "./chat-state.ts";
import { complainOf, type Next, next } from "./effect.ts";
import { request } from "./requests.ts";

const TOO_LONG = `a message can have at most ${MAX_TYPED_CHARS} characters: put it in a file and name the file`;

/**
 * Behind it is what the person's own commands printed. `isAtOnce`: what is under way is ended, so that it is delivered now.
 */
export function say(state: ChatState, text: string, isAtOnce = false): Next {
	const message = [text, ...state.heard].join("\n\n");
	if (state.link.is === "ending" || state.link.is === "lost") return refuse(state, text, "the chat is ending");
	if (message.length > MAX_TYPED_CHARS) return refuse(state, text, TOO_LONG);
	const heard: ChatState = { ...state, heard: [] };
	if (state.link.is === "none") return next({ ...heard, link: { is: "beginning", message } }, { do: "begin", message });
	if (!isThere(state)) return next({ ...heard, unsent: [...state.unsent, message] });
	const isInTheWay = isAtOnce && isWorking(state);
	return request(
		heard,
		{ say: "send", agent: ROOT, text: message },
		...(isInTheWay ? [{ say: "interrupt", agent: ROOT } as const] : []),
	);
}

/** What was said before the agent was there: the supervisor would refuse it until then. */
export function sayUnsent(state: ChatState): Next {
	const { unsent, link } = state;
	if (unsent.length === 0 || link.is !== "open" || !isThere(state)) return next(state);
	return request({ ...state, unsent: [] }, ...unsent.map((text) => ({ say: "send", agent: ROOT, text }) as const));
}

/** What was not taken is a draft again. */
export function refuse(state: ChatState, text: string, why: string): Next {
	return next(state, complainOf(why), { do: "put_back", text });
}

/** A slash command that cannot be run leaves the line, so that what is typed next is not added to it; it is in the history. */
export function decline(state: ChatState, why: string): Next {
	return next(state, complainOf(why));
}
