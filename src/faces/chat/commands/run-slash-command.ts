/** Finds the slash command that a person means, and runs it: pure. */
import { nearestName } from "../../../text/nearest-name.ts";
import { andThen, type ChatState, type Next, next } from "../chat-state.ts";
import { decline } from "../requests.ts";
import { isCalled, type SlashCommand } from "./slash-command.ts";
import { SLASH_COMMANDS } from "./slash-table.ts";
import { userRows } from "./user-command-lines.ts";

interface SlashLine {
	readonly word: string;
	readonly argument: string;
	/** The whole, as it was written. */
	readonly text: string;
}

/** What was asked stays to be seen. Of what cannot be run it is said why. */
export function runSlashCommand(state: ChatState, line: SlashLine): Next {
	return andThen(next(state, { do: "echo", text: line.text.trim() }), (asked) => act(asked, line));
}

function act(state: ChatState, { word, argument }: SlashLine): Next {
	const rows = rowsOf(state);
	const command = rows.find((row) => isCalled(row, word));
	if (command === undefined) return decline(state, `unknown command /${word}${meant(word, rows)}; see /help`);
	const fault = faultOf(command, argument, state);
	return fault === undefined ? command.act(state, argument) : decline(state, fault);
}

function rowsOf({ facts }: ChatState): SlashCommand[] {
	return [...SLASH_COMMANDS, ...userRows(facts.commands)];
}

export function isSlashCommand(state: ChatState, word: string): boolean {
	return rowsOf(state).some((row) => isCalled(row, word));
}

function faultOf({ word, argument, needsRun }: SlashCommand, given: string, state: ChatState): string | undefined {
	if (argument === undefined && given !== "") return `/${word} takes no arguments`;
	if (argument?.startsWith("<") && given === "") return `/${word} needs ${argument}`;
	if (needsRun === true && state.run === undefined) return `/${word} needs a running chat: send a message first`;
	return undefined;
}

function meant(word: string, rows: readonly SlashCommand[]): string {
	const words = rows.flatMap((row) => [row.word, ...(row.synonyms ?? [])]);
	const nearest = words.find((known) => word.length > 1 && known.startsWith(word)) ?? nearestName(word, words);
	return nearest === undefined ? "" : `; did you mean /${nearest}?`;
}
