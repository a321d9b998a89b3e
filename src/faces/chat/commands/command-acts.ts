/**
 * Slash commands that change what the agent works with (before the first message: what the run begins with), and the one that answers
 * a question. Pure.
 */
import { EFFORTS } from "../../../core/effort.ts";
import { AgentreeError } from "../../../core/errors.ts";
import { DEFAULT_LIMITS, limitOfFlag } from "../../../core/limits/limits.ts";
import { ROOT } from "../../../core/model/agent.ts";
import { preview } from "../../../core/preview.ts";
import type { Question } from "../../../core/run/questions.ts";
import { readLimits } from "../../../project/config/read-limits.ts";
import { describeLimits } from "../../../text/limits.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { padWidth } from "../../../text/width/width.ts";
import { givenAnswer } from "../../../wire/open-requests.ts";
import { type ChatState, type Choice, type Next, next, print, printError, rootOf } from "../chat-state.ts";
import type { ChatLine } from "../output/messages.ts";
import { request } from "../requests.ts";

export function setModel(state: ChatState, argument: string): Next {
	const { choice, facts, run } = state;
	if (argument === "") {
		const model = rootOf(state)?.model ?? choice.model ?? facts.model;
		return next(state, print(model), print(`others: ${facts.models.join(", ")}`, "dim"));
	}
	if (run !== undefined)
		return request(state, { say: "change", agent: ROOT, model: argument, startedIn: facts.directory });
	return choose(state, { model: argument }, argument);
}

export function setEffort(state: ChatState, argument: string): Next {
	const { choice, run } = state;
	if (argument === "") return next(state, print(rootOf(state)?.effort ?? choice.effort ?? "model default"));
	const effort = EFFORTS.find((known) => known === argument);
	if (effort === undefined) {
		const nearest = nearestName(argument, EFFORTS);
		const meant = nearest === undefined ? EFFORTS.join(", ") : `did you mean ${nearest}?`;
		return next(state, printError(`unknown effort ${argument}: ${meant}`));
	}
	const chosen = choose(state, { effort }, `effort ${effort}`);
	return run === undefined ? chosen : request(chosen.state, { say: "change", agent: ROOT, effort });
}

export function setLimit(state: ChatState, argument: string): Next {
	const { choice, run } = state;
	if (argument === "") {
		const inForce = rootOf(state)?.limits ?? { ...DEFAULT_LIMITS, ...choice.limits };
		return next(state, print(describeLimits(inForce)));
	}
	const [name = "", text = "", ...more] = argument.replace(/^--/, "").split(/[\s=]+/);
	const limit = limitOfFlag(name) ?? limitOfFlag(`max-${name}`);
	if (limit === undefined || more.length > 0)
		return next(state, printError("set a limit like this: /limits max-turns 100"));
	const value = readLimit(limit.flag, text);
	if (typeof value === "string") return next(state, printError(value));
	if (run !== undefined) return request(state, { say: "change", agent: ROOT, limits: { [limit.key]: value } });
	const { [limit.key]: _, ...others } = choice.limits ?? {};
	return choose(state, { limits: value === null ? others : { ...others, [limit.key]: value } }, `${name} ${text}`);
}

/** Null for `off`; a string: what is wrong. */
function readLimit(flag: string, text: string): number | null | string {
	if (text === "off" || text === "none") return null;
	try {
		const [value] = Object.values(readLimits((asked) => (asked === flag ? text : undefined), {})) as number[];
		return value ?? `${flag} needs a value`;
	} catch (error) {
		if (error instanceof AgentreeError) return error.message.replace(/^--/, "");
		throw error;
	}
}

function choose(state: ChatState, choice: Partial<Choice>, text: string): Next {
	return next({ ...state, choice: { ...state.choice, ...choice } }, print(`the chat will start with ${text}`, "dim"));
}

export function setRole(state: ChatState, argument: string): Next {
	const { roles } = state.facts;
	if (argument === "") return next(state, { do: "print", lines: roleLines(state) });
	if (!roles.some(({ name }) => name === argument)) {
		const nearest = nearestName(
			argument,
			roles.map(({ name }) => name),
		);
		const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
		return next(state, printError(`unknown role ${argument}${meant}; see /role`));
	}
	if (state.link.is !== "none") return next(state, printError("an agent keeps its role; start a new chat with /new"));
	return next({ ...state, choice: { ...state.choice, role: argument } }, print(`role: ${argument}`, "dim"));
}

const MAX_DESCRIPTION = 100; // characters

function roleLines(state: ChatState): ChatLine[] {
	const { roles } = state.facts;
	const now = state.run === undefined ? state.choice.role : rootOf(state)?.role;
	const width = Math.max(...roles.map(({ name }) => name.length));
	const lines = roles.map(({ name, description }): ChatLine => {
		const mark = name === now ? "* " : "  ";
		return { text: `${mark}${padWidth(name, width)}  ${preview(description, MAX_DESCRIPTION)}`, tone: "plain" };
	});
	return [...lines, { text: now === undefined ? "no role" : `role: ${now}`, tone: "dim" }];
}

/** The number may be left out where one question is open. */
export function answerQuestion(state: ChatState, argument: string): Next {
	const { questions = [] } = state.run ?? {};
	const [, digits, rest = ""] = /^#?(\d{1,9})(?:\s+(.*))?$/s.exec(argument) ?? [];
	const named = questions.find(({ number }) => number === Number(digits));
	const [only, ...others] = questions;
	if (only === undefined) return next(state, printError("no open questions"));
	if (named !== undefined && rest.trim() !== "") return answer(state, named, rest.trim());
	if (others.length === 0) return answer(state, only, argument);
	return next(state, printError("several questions are open: /answer NUMBER ANSWER; see /questions"));
}

function answer(state: ChatState, question: Question, text: string): Next {
	const [, no, words] = /^(no|stop)[\s,:]+(.*)$/s.exec(text) ?? [];
	const isChoice = question.what.is === "words" && question.what.choices?.includes(text) === true;
	const written = no === undefined || isChoice ? { answer: text, words: undefined } : { answer: no, words };
	const read = givenAnswer(written, question.what);
	if (typeof read === "string") return next(state, printError(read));
	return request(state, { say: "answer", question: question.number, answer: read });
}
