/**
 * What a person is told who looks elsewhere: the window's title, and once for each change a bell or a command of their own. A
 * terminal that tells of its focus decides whether they look; of another one the person's own keys do: who has pressed none for
 * a while may have gone. Pure.
 */
import { type ChatState, isWorking, othersAlive } from "./chat-state.ts";

/** Who does not press a key for so long may look elsewhere, where the terminal does not tell. */
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
			return "waits for you";
		case "beginning":
			return "working";
		case "ending":
			return "ending";
		case "lost":
			return "lost";
		case "open":
			return isWorking(state) ? "working" : "waits for you";
	}
}

/** What is to be told with this change; `wasWorking`: the agent worked before it. */
export function noticeOf(wasWorking: boolean, after: ChatState): string | undefined {
	if (!wasWorking || isWorking(after) || after.link.is !== "open" || !isAway(after)) return undefined;
	return "agentree waits for you";
}

function isAway({ attention, now }: ChatState): boolean {
	return attention.hasFocus === undefined ? now - attention.actedAt >= AWAY_MS : !attention.hasFocus;
}
