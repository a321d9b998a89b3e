/** Tab: the word is completed as far as it is sure; the choices are listed then, and further Tabs go through them. Pure. */
import {
	type Choice,
	type Completers,
	type Editor,
	type EditorContext,
	type Pressed,
	WRITING,
	type WrittenChoice,
} from "./editor.ts";
import { edited, lineStart, OTHER } from "./text-field.ts";

export type Choosing = Extract<Editor["mode"], { is: "choosing" }>;

export function complete(editor: Editor, { completers }: EditorContext): Pressed {
	const { text, cursor } = editor;
	const word = completedWord(text, cursor, completers);
	const [only, ...others] = word?.choices ?? [];
	if (word === undefined || only === undefined) return { editor, effect: { is: "bell" } };
	if (others.length === 0) return { editor: finished(withWord(editor, word.from, only.written), only) };
	const { choices } = word;
	const sure = commonStart(choices);
	const typed = text.slice(word.from, cursor);
	const isLonger = sure.length > typed.length && bare(sure).startsWith(bare(typed));
	const next = isLonger ? withWord(editor, word.from, sure) : { ...editor, last: OTHER };
	return {
		editor: {
			...next,
			mode: { is: "choosing", choices, selected: undefined, from: word.from, typed: isLonger ? sure : typed },
		},
	};
}

export function chooseNext(editor: Editor, mode: Choosing, isForward: boolean): Editor {
	const { choices, selected, from } = mode;
	const count = choices.length;
	const next = selected === undefined ? (isForward ? 0 : count - 1) : (selected + (isForward ? 1 : count - 1)) % count;
	return { ...withWord(editor, from, choices[next]?.written ?? mode.typed), mode: { ...mode, selected: next } };
}

export function acceptChoice(editor: Editor, { choices, selected }: Choosing): Editor {
	const choice = selected === undefined ? undefined : choices[selected];
	return choice === undefined ? { ...editor, mode: WRITING } : finished(editor, choice);
}

export function cancelChoice(editor: Editor, { selected, from, typed }: Choosing): Editor {
	return { ...(selected === undefined ? editor : withWord(editor, from, typed)), mode: WRITING };
}

function withWord(editor: Editor, from: number, word: string): Editor {
	const { text, cursor } = editor;
	return edited(editor, { text: text.slice(0, from) + word + text.slice(cursor), cursor: from + word.length });
}

/** Behind a whole word comes a blank, unless one is there. */
function finished(editor: Editor, { isPartial }: WrittenChoice): Editor {
	const { text, cursor } = editor;
	if (isPartial || /^\s/.test(text.slice(cursor, cursor + 1))) return { ...editor, mode: WRITING };
	const spaced = { text: `${text.slice(0, cursor)} ${text.slice(cursor)}`, cursor: cursor + 1 };
	return { ...editor, ...spaced, mode: WRITING };
}

/** For comparing: a name may be in quotes, and in other letters than it was typed in. */
function bare(word: string): string {
	return word.replaceAll('"', "").toLowerCase();
}

/** What all choices begin with, written so; half a character is no part of it. */
function commonStart(choices: readonly WrittenChoice[]): string {
	const [first = "", ...others] = choices.map(({ written }) => written);
	let length = first.length;
	for (const other of others) {
		let same = 0;
		while (same < length && other[same] === first[same]) same++;
		length = same;
	}
	return first.slice(0, length).toWellFormed() === first.slice(0, length)
		? first.slice(0, length)
		: first.slice(0, length - 1);
}

interface CompletedWord {
	readonly from: number;
	/** Without its `@`, slash and quotes. */
	readonly typed: string;
	readonly choices: readonly WrittenChoice[];
}

/** Longer words are not completed: the patterns look at no more. */
const LONGEST = 1_000;

function completedWord(text: string, cursor: number, completers: Completers): CompletedWord | undefined {
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

/**
 * Those that begin so, the same one first; where there is none those that begin so in other letters, else those of which a later
 * word begins so, else those that have it in them. Else in the order that they have.
 */
export function bestFirst<T>(typed: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] {
	const small = typed.toLowerCase();
	const ways: readonly ((name: string) => boolean)[] = [
		(name) => name.startsWith(typed),
		(name) => name.toLowerCase().startsWith(small),
		(name) =>
			name
				.toLowerCase()
				.split(/[^\p{L}\p{N}]+/u)
				.some((word) => word.startsWith(small)),
		(name) => name.toLowerCase().includes(small),
	];
	for (const isMeant of ways) {
		const found = all.filter((one) => isMeant(nameOf(one)));
		if (found.length > 0) return found.sort((a, b) => Number(nameOf(b) === typed) - Number(nameOf(a) === typed));
	}
	return [];
}
