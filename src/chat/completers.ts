/** What may stand for what a person has begun to write. */
import { isOver } from "../core/agent.ts";
import { LIMIT_TABLE } from "../core/limits.ts";
import { agentsInOrder } from "../core/run-state.ts";
import { describeState } from "../text/states.ts";
import type { ChatState } from "./chat-state.ts";
import { isCalled, type SlashCommand } from "./commands/slash-command.ts";
import { SLASH_COMMANDS } from "./commands/slash-table.ts";
import { choicesOf, userRows } from "./commands/user-command-lines.ts";
import { bestFirst } from "./editor/best-first.ts";
import type { Choice, Completers } from "./editor/editor.ts";
import { pathChoices } from "./editor/path-choices.ts";

const MOST = 200;

export function completersOf(state: ChatState): Completers {
	const paths = (typed: string) => pathChoices(typed, state.facts);
	const agents = (typed: string): readonly Choice[] =>
		(state.run === undefined ? [] : agentsInOrder(state.run))
			.filter((agent) => agent.id.startsWith(typed) && !isOver(agent))
			.slice(0, MOST)
			.map((agent) => ({ text: agent.id, note: `${describeState(agent, state.now)}: ${agent.task}` }));
	return {
		paths,
		agents,
		commands: (typed) => commandChoices(typed, rowsOf(state)),
		argumentsOf: (command, typed) => {
			const row = SLASH_COMMANDS.find((one) => isCalled(one, command));
			return row?.completes === undefined ? [] : argumentsOf(row.completes, typed, { state, agents, paths });
		},
	};
}

function rowsOf({ facts }: ChatState): readonly SlashCommand[] {
	return [...SLASH_COMMANDS, ...userRows(facts.commands)];
}

/** Where no word begins as what was typed the other words for the commands are offered. */
function commandChoices(typed: string, rows: readonly SlashCommand[]): readonly Choice[] {
	const begins = (word: string) => word.startsWith(typed);
	if (rows.some(({ word }) => begins(word))) return choicesOf(bestFirst(typed, rows, ({ word }) => word));
	const others = rows.flatMap((row) => (row.synonyms ?? []).filter(begins).map((word) => ({ ...row, word })));
	return choicesOf(others.length > 0 ? others : bestFirst(typed, rows, ({ word }) => word));
}

interface Sources {
	readonly state: ChatState;
	readonly agents: Completers["agents"];
	readonly paths: Completers["paths"];
}

function argumentsOf(
	kind: NonNullable<SlashCommand["completes"]>,
	typed: string,
	{ state, agents, paths }: Sources,
): readonly Choice[] {
	const among = (words: readonly string[]) => bestFirst(typed, words, (word) => word).map((text) => ({ text }));
	switch (kind) {
		case "agents":
			return agents(typed);
		case "models":
			return among(state.facts.models);
		case "efforts":
			return among(state.facts.efforts);
		case "limits":
			return among(LIMIT_TABLE.map(({ flag }) => flag));
		case "commands":
			return among(rowsOf(state).map(({ word }) => word));
		case "roles":
			return bestFirst(typed, state.facts.roles, ({ name }) => name).map(({ name, description }) => {
				return { text: name, note: description };
			});
		case "files":
			return paths(typed);
	}
}
