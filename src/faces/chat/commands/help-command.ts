/** `/help`: the commands, and the keys. */
import { padWidth } from "../../../text/width/width.ts";
import { complainOf, type Told } from "../effect.ts";
import { next } from "../next.ts";
import { isCalled, type SlashCommand } from "./slash-command.ts";
import { userRows } from "./user-command-lines.ts";

/** What is no command, and works in the line all the same. */
const KEYS: readonly (readonly [string, string])[] = [
	["Enter", "sends; while the agent works the message waits, and is delivered after the commands under way"],
	["Enter, empty line", "delivers what waits now: the call under way is ended; Ctrl-Enter sends at once"],
	["Ctrl-J, Alt-Enter", "a new line; so does \\ at the end of one"],
	["Up", "on an empty line takes the newest message back that waits; else the history; Ctrl-R searches it"],
	["Esc", "ends what the agent does now; what waits comes back into the line"],
	["Ctrl-C", "the same; on an empty line twice: leaves. Ctrl-D leaves, Ctrl-Z suspends"],
	["@1.2 text", "a message to that agent; @path completes the name of a file"],
	["!command", "runs here, and the agent is told of it with your next message; !!command: it is not"],
	[
		"Tab, empty line",
		"turns to what an agent asks you: y, a, p, n, s, a number or words answer, Esc leaves it for later",
	],
	["Ctrl-G", "the line in $EDITOR"],
];

export function helpCommand(others: readonly SlashCommand[]): SlashCommand {
	const row: SlashCommand = {
		word: "help",
		synonyms: ["?", "commands", "keys"],
		argument: "[command]",
		completes: "commands",
		help: "the commands and the keys, or one command",
		act: (state, given) => {
			const word = given.replace(/^\//, "").toLowerCase();
			const ofFiles = userRows(state.facts.commands);
			if (word === "") return next(state, { do: "tell", told: wholeHelp([row, ...others], ofFiles) });
			const found = [row, ...others, ...ofFiles].find((one) => isCalled(one, word));
			if (found === undefined) return next(state, complainOf(`there is no command /${word}; /help lists all`));
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
