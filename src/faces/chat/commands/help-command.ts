/** `/help`: the commands, and the keys. */
import { padWidth } from "../../../text/width/width.ts";
import { complainOf, next, type Told } from "../chat-state.ts";
import { isCalled, type SlashCommand } from "./slash-command.ts";
import { userRows } from "./user-command-lines.ts";

/** What is no command, and works in the line all the same. */
const KEYS: readonly (readonly [string, string])[] = [
	["Enter", "send; while the agent is working, the message is queued until its commands finish"],
	["Enter, empty line", "deliver queued messages now, interrupting the agent; Ctrl-Enter sends immediately"],
	["Ctrl-J, Alt-Enter", "new line; so does \\ at the end of a line"],
	["Up", "on an empty line: take back the last queued message, else browse history; Ctrl-R to search"],
	["Esc", "interrupt the agent; queued messages return to the prompt"],
	["Ctrl-C", "interrupt; twice on an empty line: quit. Ctrl-D quits, Ctrl-Z suspends"],
	["@1.2 text", "send a message to that agent; @path completes file names"],
	["!command", "run here, and include the output in your next message; !!command: do not include it"],
	["Tab, empty line", "answer an agent's question with y, a, p, n, s, a number or text; Esc for later"],
	["Ctrl-G", "edit the message in $EDITOR"],
];

export function helpCommand(others: readonly SlashCommand[]): SlashCommand {
	const row: SlashCommand = {
		word: "help",
		synonyms: ["?", "commands", "keys"],
		argument: "[command]",
		completes: "commands",
		help: "list commands and keys, or explain one command",
		act: (state, given) => {
			const word = given.replace(/^\//, "").toLowerCase();
			const ofFiles = userRows(state.facts.commands);
			if (word === "") return next(state, { do: "tell", told: wholeHelp([row, ...others], ofFiles) });
			const found = [row, ...others, ...ofFiles].find((one) => isCalled(one, word));
			if (found === undefined) return next(state, complainOf(`unknown command /${word}; see /help`));
			return next(state, { do: "tell", told: [{ text: lineOf(found, nameOf(found).length), tone: "plain" }] });
		},
	};
	return row;
}

/** `ofFiles`: those that files of the user and the project define. */
function wholeHelp(rows: readonly SlashCommand[], ofFiles: readonly SlashCommand[]): Told[] {
	const width = Math.max(...[...rows, ...ofFiles].map((row) => nameOf(row).length), ...KEYS.map(([key]) => key.length));
	const plain = (text: string): Told => ({ text, tone: "plain", hang: width + 2 });
	return [
		...rows.map((row) => plain(lineOf(row, width))),
		...(ofFiles.length === 0 ? [] : [plain(""), ...ofFiles.map((row) => plain(lineOf(row, width)))]),
		plain(""),
		...KEYS.map(([key, help]) => plain(`${padWidth(key, width)}  ${help}`)),
	];
}

function nameOf({ word, argument }: SlashCommand): string {
	return argument === undefined ? `/${word}` : `/${word} ${argument}`;
}

function lineOf(row: SlashCommand, width: number): string {
	const also = row.synonyms === undefined ? "" : ` (also ${row.synonyms.map((word) => `/${word}`).join(", ")})`;
	return `${padWidth(nameOf(row), width)}  ${row.help}${also}`;
}
