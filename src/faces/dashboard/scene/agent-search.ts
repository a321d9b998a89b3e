/** Which agents match what a person types: for a filter, and to find one. Pure. */

import { DOINGS, doingOf } from "../../../core/doing.ts";
import { type Agent, isOver } from "../../../core/model/agent.ts";
import { cleanText } from "../../../text/safe/terminal-safe.ts";
import type { RunView } from "../../../view/agents/run-view.ts";

export interface Searched {
	readonly view: RunView;
}

export type Matches = (agent: Agent) => boolean;

/**
 * True for an agent that every word of the filter matches. The name of a state stands for that state: `failed`, `alive`,
 * `stuck`; other words are looked for in all that is shown of an agent.
 */
export function filterMatches(filter: string, searched: Searched): Matches {
	return wordsMatch(filter, searched, (word) => textMatches(word, searched));
}

/**
 * True for an agent that the filter means by what it is: its name, its id, its state. One that runs a command with the words in
 * it, as a parent does whose command starts the agent that is looked for, only matches.
 */
export function filterMeans(filter: string, searched: Searched): Matches {
	return wordsMatch(
		filter,
		searched,
		(word) => (agent) => agent.id === word || searched.view.of(agent).name.toLowerCase().includes(word),
	);
}

function wordsMatch(filter: string, searched: Searched, matchesOf: (word: string) => Matches): Matches {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const tests = words.map((word): Matches => {
		const state = STATES.get(word);
		return state === undefined ? matchesOf(word) : (agent) => state(agent, searched);
	});
	return (agent) => tests.every((test) => test(agent));
}

/** True for an agent of which something is shown that has the text in it, whatever its letters' size. */
export function textMatches(text: string, { view }: Searched): Matches {
	const sought = text.toLowerCase();
	return (agent) => {
		if (constantText(agent).includes(sought)) return true;
		const others = `${view.of(agent).name}\n${isOver(agent) ? view.of(agent).detail : ""}`;
		return others.toLowerCase().includes(sought);
	};
}

const isStuck = (agent: Agent, { view }: Searched) => view.of(agent).isSilent;

const STATES: ReadonlyMap<string, (agent: Agent, searched: Searched) => boolean> = new Map([
	...DOINGS.map((doing) => [doing, (agent: Agent) => doingOf(agent) === doing] as const),
	["alive", (agent: Agent) => !isOver(agent)] as const,
	["ended", (agent: Agent) => isOver(agent)] as const,
	["stuck", isStuck] as const,
	["silent", isStuck] as const,
]);

const constants = new WeakMap<Agent, string>();

/** What an agent itself tells, in small letters. An event of the agent makes another one of it. */
function constantText(agent: Agent): string {
	const known = constants.get(agent);
	if (known !== undefined) return known;
	const { id, task, state, running } = agent;
	const commands = running.map(({ text }) => text);
	const retry = state.is === "thinking" ? (state.retry?.reason ?? "") : "";
	const ending = state.is === "ended" && "reason" in state.ending ? state.ending.reason : "";
	const text = cleanText([id, doingOf(agent), task, ...commands, retry, ending].join("\n")).toLowerCase();
	constants.set(agent, text);
	return text;
}
