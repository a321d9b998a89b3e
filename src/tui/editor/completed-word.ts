/** What Tab completes: the word before the cursor, and what may stand there. Pure. */
import { lineStart } from "./characters.ts";
import type { Choice, Completers, WrittenChoice } from "./editor.ts";

export interface CompletedWord {
	/** Where in the text the word begins. */
	readonly from: number;
	/** Without its `@`, slash and quotes. */
	readonly typed: string;
	readonly choices: readonly WrittenChoice[];
}

/** Longer words are not completed: the patterns look at no more. */
const LONGEST = 1_000;

/** Undefined where nothing can be completed. */
export function completedWord(text: string, cursor: number, completers: Completers): CompletedWord | undefined {
	const from = lineStart(text, cursor);
	if (cursor - from > LONGEST) return ofProse(text.slice(cursor - LONGEST, cursor), cursor, completers);
	const line = text.slice(from, cursor);
	if (from > 0) return ofProse(line, cursor, completers);
	return ofSlashCommand(line, completers) ?? ofShellCommand(line, completers) ?? ofProse(line, cursor, completers);
}

function ofSlashCommand(line: string, completers: Completers): CompletedWord | undefined {
	const [, command] = /^\/(\S*)$/.exec(line) ?? [];
	if (command !== undefined) {
		const commands = written(completers.commands(command), (name) => `/${name}`);
		return commands.length === 0 ? undefined : { from: 0, typed: command, choices: commands };
	}
	const [, name, argument] = /^\/(\S+)\s+(?:.*\s)?(\S*)$/.exec(line) ?? [];
	if (name === undefined || argument === undefined || argument.startsWith("@")) return undefined;
	const choices = written(completers.argumentsOf(name, argument), itself);
	return { from: line.length - argument.length, typed: argument, choices };
}

function ofShellCommand(line: string, completers: Completers): CompletedWord | undefined {
	const [, command] = /^!{1,2}(.*)$/.exec(line) ?? [];
	if (command === undefined) return undefined;
	const word = /(?:"[^"]*|[^\s"]*)$/.exec(command)?.[0] ?? "";
	return pathWord(word, line.length, completers);
}

/** `@` and a path or an agent, or a path with a slash in it. */
function ofProse(line: string, cursor: number, completers: Completers): CompletedWord | undefined {
	const [, mention] = /(?:^|[\s([{,])(@(?:"[^"]*|[^\s"]*))$/.exec(line) ?? [];
	if (mention !== undefined) {
		const from = cursor - mention.length;
		return mentioned(mention, { from, isFirst: from === 0 }, completers);
	}
	const word = /(?:"[^"]*|[^\s"]*)$/.exec(line)?.[0] ?? "";
	return word.includes("/") ? pathWord(word, cursor, completers) : undefined;
}

function pathWord(word: string, cursor: number, completers: Completers): CompletedWord {
	const typed = word.replace(/^"/, "");
	return { from: cursor - word.length, typed, choices: written(completers.paths(typed), quoted) };
}

interface Stands {
	readonly from: number;
	/** At the begin of the message, where an agent is addressed. */
	readonly isFirst: boolean;
}

function mentioned(mention: string, { from, isFirst }: Stands, completers: Completers): CompletedWord {
	const typed = mention.replace(/^@"?/, "");
	const mayBeAgent = /^[\d.]*$/.test(typed) && (isFirst || typed !== "") && !mention.includes('"');
	const agents = mayBeAgent ? written(completers.agents(typed), (agent) => `@${agent}`) : [];
	const paths = written(completers.paths(typed), (path, isPartial) => `@${quoted(path, isPartial)}`);
	return { from, typed, choices: [...agents, ...paths] };
}

function written(choices: readonly Choice[], write: (text: string, isPartial: boolean) => string): WrittenChoice[] {
	return choices.map((choice) => ({ ...choice, written: write(choice.text, choice.isPartial === true) }));
}

function itself(text: string): string {
	return text;
}

/** A path with blanks stands in quotes; behind a directory, where more follows, they stay open. */
function quoted(path: string, isPartial: boolean): string {
	return /[\s"]/.test(path) ? `"${path}${isPartial ? "" : '"'}` : path;
}
