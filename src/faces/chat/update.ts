/** Everything that changes a conversation goes through `update`: pure. */
import { isAgentId } from "../../core/agent-id.ts";
import { type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import type { createBatchReduce } from "../../core/run/run-state.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { Scrolling } from "../../tui/questions/open-question.ts";
import { isAnswer } from "../../wire/open-requests.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import {
	andThen,
	type ChatState,
	type CutAt,
	type Effect,
	type FoundSessions,
	isStarting,
	isThere,
	isWorking,
	type Next,
	next,
	print,
	printError,
	queuedMessages,
	rootOf,
	unanswered,
} from "./chat-state.ts";
import { commandsOf, findCommand, runSlashCommand } from "./commands/slash-commands.ts";
import { AGAIN_MS, afterRunEnd, hangUp, leave, leaveWhenLate, leaveWhenQuiet } from "./leaving.ts";
import { afterLocal, type LocalEnd } from "./local-output.ts";
import {
	filesPutBack,
	pick,
	pressQuestion,
	sessionsFound,
	turnToQuestion,
	type UndoFound,
	undoFound,
	withOutcome,
} from "./questions.ts";
import { hear, refuse, request, say, sayUnsent } from "./requests.ts";

export type Input =
	| { readonly is: "submit"; readonly text: string; readonly isAtOnce?: boolean }
	/** Up on an empty line: the newest message that waits comes back. */
	| { readonly is: "take_back" }
	/** Esc. */
	| { readonly is: "interrupt" }
	/** Ctrl-C; `isEmpty`: nothing is being written. */
	| { readonly is: "cancel"; readonly isEmpty: boolean }
	/** Ctrl-D on an empty line. */
	| { readonly is: "leave" }
	/** A key while a question is asked. `isUnseen`: that is not on the screen yet. `scrolling`: of what is on the screen. */
	| { readonly is: "key"; readonly key: Key; readonly isUnseen?: boolean; readonly scrolling?: Scrolling }
	/** Tab on an empty line. */
	| { readonly is: "turn_to_question" }
	| { readonly is: "pick"; readonly words: string; readonly isFork: boolean }
	| { readonly is: "sessions_found"; readonly words: string; readonly found: FoundSessions }
	| { readonly is: "undo_found"; readonly found: UndoFound }
	| { readonly is: "files_put_back"; readonly text: string; readonly cut: CutAt | undefined }
	| { readonly is: "message"; readonly message: ToWatcher }
	| { readonly is: "lost" }
	/** The run has begun with its first message, and is connected. */
	| { readonly is: "begun" }
	| { readonly is: "not_begun"; readonly reason: string }
	| { readonly is: "local_ended"; readonly end: LocalEnd }
	| { readonly is: "result"; readonly text: string; readonly isError: boolean }
	| { readonly is: "focus"; readonly hasFocus: boolean }
	/** Time passes while the run is to end. */
	| { readonly is: "tick" }
	/** `isAttached`: the run is left alone. */
	| { readonly is: "signal"; readonly name: string; readonly number: number; readonly isAttached: boolean };

export type Reduce = ReturnType<typeof createBatchReduce>;

/** `reduce`: made for the batch that the input may hold. */
export function update(state: ChatState, input: Input, reduce: Reduce): Next {
	switch (input.is) {
		case "submit": {
			const remember: Effect[] = input.text.trim() === "" ? [] : [{ do: "remember", text: input.text }];
			return andThen(next(acted(state), ...remember), (now) => submit(now, input.text, input.isAtOnce));
		}
		case "take_back":
			return takeBack(acted(state));
		case "interrupt":
			return interrupt(acted(state));
		case "cancel":
			return cancel(acted(state), input.isEmpty);
		case "leave":
			return leave(acted(state));
		case "key":
			if (input.isUnseen) return unanswered(acted(state), input.key);
			return pressQuestion(acted(state), input.key, input.scrolling);
		case "turn_to_question":
			return turnToQuestion(acted(state));
		case "pick":
			return pick(state, input.words, input.isFork);
		case "sessions_found":
			return sessionsFound(state, input.words, input.found);
		case "undo_found":
			return undoFound(state, input.found);
		case "files_put_back":
			return filesPutBack(state, input.text, input.cut);
		case "message":
			return andThen(receive(state, input.message, reduce), leaveWhenQuiet);
		case "lost":
			return lose(state);
		case "begun":
			return begun(state);
		case "not_begun":
			return notBegun(state, input.reason);
		case "local_ended":
			return afterLocal(state, input.end);
		case "result":
			return next(state, print(input.text, input.isError ? "bad" : "plain"));
		case "signal":
			if (input.isAttached) return next(state, { do: "end", end: { by: "signal", signal: input.number } });
			return hangUp(state, input);
		case "tick":
			return leaveWhenLate(state);
		case "focus":
			return next({ ...state, attention: { ...state.attention, hasFocus: input.hasFocus } });
	}
}

function acted(state: ChatState): ChatState {
	return { ...state, attention: { ...state.attention, actedAt: state.now } };
}

function takeBack(state: ChatState): Next {
	return queuedMessages(state).length === 0 ? next(state) : request(state, { say: "withdraw", agent: ROOT });
}

/** What waits comes back first: else it would start the next turn at once. */
function interrupt(state: ChatState): Next {
	if (state.local !== undefined) return next(state, { do: "end_local" });
	if (isStarting(state)) return interruptFirst(state);
	if (state.link.is !== "open" || !isThere(state)) return next(state);
	const waiting = queuedMessages(state).map(() => ({ say: "withdraw", agent: ROOT }) as const);
	return request(state, ...waiting, ...(isWorking(state) ? [{ say: "interrupt", agent: ROOT } as const] : []));
}

/** What was said to an agent that is not there yet is a draft again, and what a new run began with is ended once it is. */
function interruptFirst(state: ChatState): Next {
	const drafts = state.unsent.map((text): Effect => ({ do: "put_back", text }));
	const interruptsFirst = rootOf(state) === undefined; // one that goes on waits for a message
	return next({ ...state, unsent: [], interruptsFirst }, ...drafts.toReversed());
}

const AGAIN: Effect = { do: "hint", text: "Ctrl-C again to quit", forMs: AGAIN_MS };

function cancel(state: ChatState, isEmpty: boolean): Next {
	if (state.link.is === "ending") return leave(state);
	if (isEmpty && state.now < state.leaveUntil) return leave(state);
	if (state.local !== undefined) return next(state, { do: "end_local" });
	const armed: ChatState = isEmpty ? { ...state, leaveUntil: state.now + AGAIN_MS } : state;
	const hint = isEmpty ? [AGAIN] : [];
	if (isWorking(state)) return andThen(interrupt(armed), (stopped) => next(stopped, ...hint));
	return next(armed, ...(isEmpty ? hint : [{ do: "clear_line" } as const]));
}

function receive(state: ChatState, message: ToWatcher, reduce: Reduce): Next {
	if (isAnswer(message)) return hear(state, message);
	switch (message.say) {
		case "snapshot":
			return afterChange(state, withOutcome({ ...state, run: message.state }));
		case "event":
			if (state.run === undefined) return next(state);
			return afterChange(state, withOutcome({ ...state, run: reduce(state.run, message.event) }, message.event));
		case "activity":
			return next(message.held === undefined ? state : { ...state, heldSince: new Map(Object.entries(message.held)) });
		case "talkers":
			return next({ ...state, otherFaces: message.others });
		case "delta":
		case "recorded":
		case "todo": // answers to agents
		case "asked":
		case "answered":
		case "unanswered":
		case "record_copied":
		case "outside_opened":
		case "outside_ended":
		case "aside_delta": // the whole answer follows
			return next(state);
	}
}

function afterChange(before: ChatState, after: ChatState): Next {
	const { run } = after;
	if (run?.ended === undefined || before.run?.ended !== undefined) {
		const isDue = after.interruptsFirst && isThere(after);
		return isDue ? interrupt({ ...after, interruptsFirst: false }) : sayUnsent(after);
	}
	return afterRunEnd({ ...after, question: undefined }, run.ended.ending);
}

function lose(state: ChatState): Next {
	if (state.run?.ended !== undefined || state.link.is === "lost") return next(state);
	if (state.link.is === "ending" && state.link.by === "stop")
		return next(state, { do: "end", end: { by: "stopped", after: state.link.after } });
	return next({ ...state, link: { is: "lost" } }, { do: "end", end: { by: "lost" } });
}

function begun(state: ChatState): Next {
	return next(state.link.is === "beginning" ? { ...state, link: { is: "open" } } : state);
}

function notBegun(state: ChatState, reason: string): Next {
	const { link, unsent } = state;
	if (link.is !== "beginning") return next(state);
	const text = [link.message, ...unsent].join("\n\n");
	return next({ ...state, link: { is: "none" }, unsent: [] }, printError(reason), { do: "put_back", text });
}

/**
 * What a person's text is: a message, one for another agent (`@1.2 look at this`), a slash command, or a command that runs here
 * (`!make`, `!!make`). Pure.
 */
type Submitted =
	| { readonly is: "nothing" }
	| { readonly is: "message"; readonly text: string }
	| { readonly is: "to_agent"; readonly agent: AgentId; readonly text: string }
	| { readonly is: "local"; readonly line: string; readonly isKept: boolean }
	| { readonly is: "slash"; readonly word: string; readonly argument: string };

/** A path (`/etc/hosts is odd`) is no slash command, and `@src/main.ts` no agent. Of one word (`/tmp is full`) `submit` knows more. */
export function readSubmitted(text: string): Submitted {
	const trimmed = text.trim();
	if (trimmed === "") return { is: "nothing" };
	const [, marks, line = ""] = /^(!!?)\s*(\S[\s\S]*)$/.exec(trimmed) ?? [];
	if (marks !== undefined) return { is: "local", line, isKept: marks === "!" };
	const [, agent, body = ""] = /^@(1(?:\.\d+)*)\s+(\S[\s\S]*)$/.exec(trimmed) ?? [];
	if (agent !== undefined && isAgentId(agent)) return { is: "to_agent", agent, text: body };
	const [, word, argument = ""] = /^\/([a-z?][\w-]*)(?:\s+([\s\S]*))?$/i.exec(trimmed) ?? [];
	if (word !== undefined) return { is: "slash", word: word.toLowerCase(), argument: argument.trim() };
	return { is: "message", text };
}

/** `isAtOnce`: what is under way is ended, so that the message is delivered now. */
function submit(state: ChatState, text: string, isAtOnce = false): Next {
	const submitted = readSubmitted(text);
	switch (submitted.is) {
		case "nothing":
			return deliverNow(state);
		case "message":
			return say(state, submitted.text, isAtOnce);
		case "to_agent":
			return sayTo(state, submitted);
		case "local":
			return runLocal(state, submitted);
		case "slash":
			if (beginsWithPath(state, text) && findCommand(commandsOf(state), submitted.word) === undefined)
				return say(state, text, isAtOnce);
			return runSlashCommand(state, { ...submitted, text });
	}
}

function beginsWithPath({ facts }: ChatState, text: string): boolean {
	const [name = ""] = text.trim().slice(1).split(/\s/, 1);
	return facts.namesAtRoot.includes(name);
}

/** Enter on an empty line: what waits is delivered now. */
function deliverNow(state: ChatState): Next {
	if (!isWorking(state) || queuedMessages(state).length === 0) return next(state);
	return request(state, { say: "interrupt", agent: ROOT });
}

function sayTo(state: ChatState, { agent, text }: Extract<Submitted, { is: "to_agent" }>): Next {
	if (agent === ROOT) return say(state, text);
	const known = state.run?.agents[agent];
	const whole = `@${agent} ${text}`;
	if (known === undefined) return refuse(state, whole, `no agent ${agent}: see /agents`);
	if (isOver(known)) return refuse(state, whole, `agent ${agent} has ended`);
	return request(state, { say: "send", agent, text });
}

function runLocal(state: ChatState, { line, isKept }: Extract<Submitted, { is: "local" }>): Next {
	const whole = `${isKept ? "!" : "!!"}${line}`;
	if (state.local !== undefined) return refuse(state, whole, "a command is already running here; Ctrl-C to stop it");
	return next({ ...state, local: { line, isKept } }, print(`! ${line}`), { do: "run_local", line });
}
