/**
 * What a person's text is: a message, one for another agent (`@1.2 look at this`), a slash command, or a command that runs here
 * (`!make`, `!!make`). Pure.
 */
import { type AgentId, isOver, ROOT } from "../core/agent.ts";
import { isAgentId } from "../core/agent-id.ts";
import { type ChatState, isWorking, queuedMessages } from "./chat-state.ts";
import { isSlashCommand, runSlashCommand } from "./commands/run-slash-command.ts";
import { tell } from "./effect.ts";
import { type Next, next } from "./next.ts";
import { request } from "./requests.ts";
import { refuse, say } from "./say.ts";

export type Submitted =
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
export function submit(state: ChatState, text: string, { isAtOnce = false } = {}): Next {
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
			if (beginsWithPath(state, text) && !isSlashCommand(state, submitted.word)) return say(state, text, isAtOnce);
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
	if (known === undefined) return refuse(state, whole, `there is no agent ${agent}: /agents lists them`);
	if (isOver(known)) return refuse(state, whole, `agent ${agent} is over, and reads nothing any more`);
	return request(state, { say: "send", agent, text });
}

function runLocal(state: ChatState, { line, isKept }: Extract<Submitted, { is: "local" }>): Next {
	const whole = `${isKept ? "!" : "!!"}${line}`;
	if (state.local !== undefined) return refuse(state, whole, "one command runs here already: Ctrl-C ends it");
	return next({ ...state, local: { line, isKept } }, tell(`! ${line}`), { do: "run_local", line });
}
