/**
 * How a conversation is left. Where a person talks at another terminal, too, it goes on there. Where nothing works any more it
 * ends with its last answer. Where agents are alive the person is asked: stop them, leave them running, or stay. Pure.
 */
import { defined } from "../../core/defined.ts";
import { type Ending, ROOT } from "../../core/model/agent.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { chordOf, isRefusal, type Key } from "../../tui/keys/key.ts";
import { SIGNALS } from "../../tui/terminal/system-events.ts";
import {
	andThen,
	answerOf,
	type ChatEnd,
	type ChatState,
	type Effect,
	isWorking,
	type Next,
	next,
	othersAlive,
	print,
	queuedMessages,
	type Then,
	unanswered,
} from "./chat-state.ts";
import { request, requestStop } from "./requests.ts";

/** Ctrl-C counts as the second one for so long. */
export const AGAIN_MS = 2_000;

export function leave(state: ChatState, after?: Then): Next {
	const endLocal: Effect[] = state.local === undefined ? [] : [{ do: "end_local" }];
	switch (state.link.is) {
		case "none":
		case "lost":
			return next(state, ...endLocal, ended("closed", after));
		case "ending": // it was asked already: the person does not want to wait
			return next(state, ...endLocal, ended(state.link.by === "close" ? "closed" : "stopped", state.link.after));
		case "beginning": {
			// It takes a moment, and cannot be called off; a person who insists does not wait for it.
			if (state.now < state.leaveUntil)
				return next(state, { do: "end", end: { by: "signal", signal: SIGNALS.SIGINT } });
			const asked = { ...state, leaveUntil: state.now + AGAIN_MS };
			return next(asked, { do: "hint", text: "the run is starting; press again to quit", forMs: AGAIN_MS });
		}
		case "open": {
			if (state.otherFaces > 0) return next(state, ...endLocal, ended("left_running", after));
			if (isAtWork(state)) return next({ ...state, question: { is: "leaving", after, answeredFrom: state.now } });
			const ending: ChatState = { ...state, link: { is: "ending", by: "close", since: state.now, after } };
			return andThen(next(ending, ...endLocal), (now) => request(now, { say: "close" }));
		}
	}
}

/** A supervisor that does not end its run by then is no longer waited for with the terminal: it may be suspended. */
const MOST_ENDING_MS = { close: 3_000, stop: 9_000 };

export function leaveWhenLate(state: ChatState): Next {
	const { link } = state;
	const isLate = link.is === "ending" && state.now - link.since >= MOST_ENDING_MS[link.by];
	return isLate ? leave(state) : next(state);
}

/** Whether the key is for the conversation that comes after this one; Ctrl-C and Ctrl-D end the waiting for it. */
export function isForNext({ link }: ChatState, key: Key): boolean {
	if (link.is !== "ending" || link.after === undefined) return false;
	return key.is !== "key" || !["ctrl-c", "ctrl-d"].includes(chordOf(key));
}

/**
 * The terminal is gone, or the process is to end: nothing can be asked. The run ends so that it can be resumed, or goes on at
 * another terminal.
 */
export function hangUp(state: ChatState, signal: { readonly name: string; readonly number: number }): Next {
	const by = { by: "signal", signal: signal.number } as const;
	const end: Effect = { do: "end", end: by };
	if (state.link.is === "beginning") return next(state, { do: "end", end: { ...by, isStarting: true } });
	if (state.link.is !== "open") return next(state, end);
	const reason = `the chat received ${signal.name}`;
	const asked = request(state, { say: "hang_up", reason, signal: signal.number });
	const isLeft = state.otherFaces > 0 || undefined;
	return andThen(asked, (now) => next(now, { do: "end", end: { ...by, ...defined({ isLeft }) } }));
}

export function answerLeaving(state: ChatState, after: Then | undefined, key: Key): Next {
	const asked: ChatState = { ...state, question: undefined };
	if (isRefusal(key)) return next(asked);
	switch (answerOf(state, key)) {
		case "s":
			return stop(asked, after);
		case "l":
			return next(asked, ended("left_running", after));
		default:
			return unanswered(state, key);
	}
}

/** Once no agent is at work any more the question is moot, and the chat is left. */
export function leaveWhenQuiet(state: ChatState): Next {
	const { question } = state;
	if (question?.is !== "leaving" || isAtWork(state)) return next(state);
	return leave({ ...state, question: undefined }, question.after);
}

function isAtWork(state: ChatState): boolean {
	return isWorking(state) || othersAlive(state) > 0 || isSaying(state);
}

/** A message is on its way to the agent, or waits for it. */
function isSaying(state: ChatState): boolean {
	return queuedMessages(state).length > 0 || state.asks.some((ask) => ask.say === "send" && ask.agent === ROOT);
}

export function leavingQuestion(state: ChatState): string {
	const others = othersAlive(state);
	const own = isWorking(state) ? ["the agent is working"] : isSaying(state) ? ["a message is queued"] : [];
	const below = others === 0 ? [] : [`${others} other ${others === 1 ? "agent is" : "agents are"} running`];
	return `${[...own, ...below].join(", ")}:  s stop · l leave running · Esc cancel`;
}

function stop(state: ChatState, after: Then | undefined): Next {
	if (state.link.is !== "open") return next(state, ended("stopped", after));
	return requestStop({ ...state, link: { is: "ending", by: "stop", since: state.now, after } }, ROOT);
}

/** The run's end, which was asked for or came by itself. */
export function afterRunEnd(state: ChatState, ending: Ending): Next {
	const { link } = state;
	if (link.is === "ending") return next(state, ended(link.by === "close" ? "closed" : "stopped", link.after));
	return next(state, print(`the chat was ${howEnded(ending)}`, "bad"), ended("run_ended"));
}

function howEnded(ending: Ending): string {
	const words = describeEnding(ending);
	return ending.by === "stopped" ? words : `ended: ${words}`;
}

function ended(by: Exclude<ChatEnd["by"], "signal">, after?: Then): Effect {
	return { do: "end", end: { by, after } };
}
