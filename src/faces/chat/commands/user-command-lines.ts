/** Commands that files of the user and the project define, beside those of the table: pure. */
import { type UserCommand, withArguments } from "../../../project/instructions/user-command.ts";
import type { Choice } from "../../../tui/editor/editor.ts";
import type { ChatState, Next } from "../chat-state.ts";
import { say } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

/** As rows of the table, which go before them. */
export function userRows(commands: readonly UserCommand[]): SlashCommand[] {
	return commands.map(({ name, description, argumentHint, text }) => ({
		...{ word: name.toLowerCase(), help: description, argument: argumentHint === "" ? "[arguments]" : argumentHint },
		act: (state: ChatState, given: string): Next => say(state, withArguments(text, given)),
	}));
}

/** What completion offers of the rows. */
export function choicesOf(rows: readonly SlashCommand[]): Choice[] {
	return rows.map(({ word, help, argument }) => {
		return { text: word, note: argument === undefined ? help : `${argument}  ${help}` };
	});
}
