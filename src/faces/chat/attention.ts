/**
 * What reaches a person who looks elsewhere: the window's title, and once for each change a bell or a command of their own. A
 * terminal that reports its focus decides whether they look; for another one their keys do: a person who has pressed none for
 * a while may have gone. Pure.
 */
import { type ChatState, isWorking, othersAlive } from "./chat-state.ts";

/** A person who presses no key for so long may look elsewhere, where the terminal does not report its focus. */
const AWAY_MS = 20_000;

/** `agentree: working`, `agentree: waits for you (2)`: so many other agents are alive. */
export function titleOf(state: ChatState): string {
	const others = othersAlive(state);
	return `agentree: ${titleWord(state)}${others === 0 ? "" : ` (${others})`}`;
}

function titleWord(state: ChatState): string {
	if (state.question !== undefined) return "asks";
	switch (state.link.is) {
		case "none":
			return "waiting for you";
		case "beginning":
			return "working";
		case "ending":
			return "ending";
		case "lost":
			return "lost";
		case "open":
			if ((state.run?.questions ?? []).length > 0) return "asks";
			return isWorking(state) ? "working" : "waiting for you";
	}
}

/** What is compared of the state before a change, which may change the run in place. */
export interface Before {
	readonly wasWorking: boolean;
	readonly asked: number;
}

export function beforeOf(state: ChatState): Before {
	return { wasWorking: isWorking(state), asked: state.run?.questionsAsked ?? 0 };
}

/** The notice for this change, if one is due. */
export function noticeOf({ wasWorking, asked }: Before, after: ChatState): string | undefined {
	if (after.link.is !== "open" || !isAway(after)) return undefined;
	if ((after.run?.questionsAsked ?? 0) > asked && after.run?.questions?.length)
		return "an agent has a question for you";
	return wasWorking && !isWorking(after) ? "agentree is waiting for you" : undefined;
}

function isAway({ attention, now }: ChatState): boolean {
	return attention.hasFocus === undefined ? now - attention.actedAt >= AWAY_MS : !attention.hasFocus;
}
