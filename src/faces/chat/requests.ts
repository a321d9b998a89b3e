/** What the supervisor is asked for, and what its answers mean: pure. */
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { MAX_TYPED_CHARS } from "../../core/model/message-marks.ts";
import { formatCost, formatTokens } from "../../text/numbers.ts";
import { padWidth } from "../../text/width/width.ts";
import { SIGNALS } from "../../tui/terminal/system-events.ts";
import { type Answer, answeredAt, describeArrival } from "../../wire/open-requests.ts";
import { type ContextParts, type ContextUse, type FromWatcher, isWellFormed } from "../../wire/watcher-messages.ts";
import {
	type ChatState,
	type Effect,
	isThere,
	isWorking,
	type Next,
	next,
	print,
	printError,
	printLines,
} from "./chat-state.ts";

const HINT_MS = 4_000;
const UNFIT = "too long to send: put it in a file and name the file";

/**
 * Asks are answered in their order, but for stops, which take their time. What the supervisor would not read is not sent: it would
 * close the connection.
 */
export function request(state: ChatState, ...messages: readonly FromWatcher[]): Next {
	const asks = messages.filter(isWellFormed);
	const sent = asks.map((message): Effect => ({ do: "send", message }));
	const unfit = messages.filter((message) => !isWellFormed(message));
	return {
		state: { ...state, asks: [...state.asks, ...asks] },
		effects: [...sent, ...unfit.flatMap((message) => refused(UNFIT, message))],
	};
}

export function requestStop(state: ChatState, agent: AgentId): Next {
	const reason = "from the chat";
	return request(state, { say: "stop_agent", agent, reason, signal: SIGNALS.SIGINT, isHurry: false });
}

/** An answer to nothing that was asked here changes nothing. */
export function hear(state: ChatState, answer: Answer): Next {
	const at = answeredAt(state.asks, answer);
	const asked = state.asks[at];
	if (asked === undefined) return next(state);
	const isStaying = answer.say === "refused" && asked.say === "close" && state.link.is === "ending";
	const link: ChatState["link"] = isStaying ? { is: "open" } : state.link; // the agent has just got something to do
	return next({ ...state, link, asks: state.asks.toSpliced(at, 1) }, ...effectsOf(answer, asked));
}

function effectsOf(answer: Answer, asked: FromWatcher): Effect[] {
	switch (answer.say) {
		case "refused":
			return refused(answer.reason, asked);
		case "stopped": {
			const { agent, survivors } = answer;
			if (survivors.length === 0) return [print(`${nameOf(agent)} stopped`, "dim")];
			return [printError(`${nameOf(agent)}: could not stop these processes: ${survivors.join(", ")}`)];
		}
		case "paused": // the event says it
			return [{ do: "hint", text: goOnHint(answer), forMs: HINT_MS }];
		case "continued": // the event says it, if there is one
			return answer.agents === 0 ? [print("nothing was paused", "dim")] : [];
		case "sent": // of the one that the person talks with the queue shows it
			if (answer.agent === ROOT) return [];
			return [print(`sent to ${nameOf(answer.agent)}: ${describeArrival(answer.arrives)}`, "dim")];
		case "withdrawn":
			return [{ do: "put_back", text: answer.text }];
		case "interrupted": // the event says it
		case "answer_taken":
		case "named":
		case "changed":
		case "compacting":
			return [];
		case "aside_answer":
			return [print(answer.text), print(`side question${costOf(answer.costUsd)}`, "dim")];
		case "context":
			return [printLines(contextLines(answer))];
	}
}

function costOf(costUsd: number | null): string {
	return costUsd === 0 ? "" : `: ${formatCost(costUsd)}`;
}

/** A message that was not taken is a draft again. What cannot be taken back or interrupted any more has just become something else. */
function refused(reason: string, asked: FromWatcher): Effect[] {
	if (asked.say === "withdraw") return [];
	if (asked.say === "send") {
		const text = asked.agent === ROOT ? asked.text : `@${asked.agent} ${asked.text}`;
		return [printError(reason), { do: "put_back", text }];
	}
	if (asked.say === "aside") return [printError(reason), { do: "put_back", text: `/btw ${asked.text}` }];
	return [printError(reason)];
}

function nameOf(agent: AgentId): string {
	return agent === ROOT ? "the agent" : `agent ${agent}`;
}

function goOnHint({ agent, agents }: Extract<Answer, { say: "paused" }>): string {
	const command = agent === ROOT ? "/continue" : `/continue ${agent}`;
	return `to continue${agents === 1 ? "" : ` all ${agents}`}: ${command}`;
}

const PARTS: Readonly<Record<keyof ContextParts, string>> = {
	system: "system prompt",
	instructions: "instructions",
	tools: "tools",
	messages: "your messages",
	answers: "answers",
	thinking: "thinking",
	calls: "commands",
	results: "command output",
	summary: "earlier summary",
};

const BAR_COLUMNS = 20;

export function contextLines({ windowTokens, compactAtTokens, isEstimated, parts }: ContextUse): string[] {
	const kinds = Object.keys(PARTS) as (keyof ContextParts)[];
	const used = kinds.reduce((sum, kind) => sum + parts[kind], 0);
	const percent = Math.floor((100 * used) / Math.max(1, windowTokens));
	const share = used > 0 && percent === 0 ? "<1 %" : `${percent} %`;
	const about = isEstimated === true ? "about " : "";
	const how = isEstimated === true ? ", estimated (the service does not count them)" : "";
	const width = Math.max(...kinds.map((kind) => PARTS[kind].length));
	const at = compactAtTokens === undefined ? "" : `; summarized at ${formatTokens(compactAtTokens)}`;
	return [
		`${about}${formatTokens(used)} of ${formatTokens(windowTokens)} tokens (${share})${how}${at}`,
		...kinds.flatMap((kind) => {
			const tokens = parts[kind];
			if (tokens === 0) return [];
			const bar = "#".repeat(Math.ceil((BAR_COLUMNS * tokens) / Math.max(1, used)));
			const count = padWidth(formatTokens(tokens), 7, true);
			return [`  ${padWidth(PARTS[kind], width)} ${count}  ${bar}`];
		}),
	];
}

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
	return next(state, printError(why), { do: "put_back", text });
}
