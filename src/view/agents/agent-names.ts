/**
 * Names for agents, made of their tasks: the words in which a task differs from those of its siblings. `piece 7 of area
 * linker: split it` among the tasks of piece 3 and piece 9 is `piece 7`; alone it is `piece 7 of area linker`.
 *
 * Tasks that begin with the same word are compared with one another. A name begins where these part for the first time,
 * and goes on until no other task agrees with it, and then to the end of the phrase: to punctuation, before `for`, `in`,
 * `and` …, or to where the nearest task goes on alike. Names that come out equal for different tasks get more words.
 */
import type { AgentId } from "../../core/agent-id.ts";
import { cleanText, firstLine } from "../../text/safe/terminal-safe.ts";
import { displayWidth, fitWords } from "../../text/width/width.ts";

const NAME_COLUMNS = 30;

export interface Sibling {
	readonly id: AgentId;
	/** Any text; its first line counts. */
	readonly task: string;
}

/**
 * A name for each of the children of one agent, safe for a terminal and at most 30 columns wide. Equal tasks have equal
 * names; a task without a word has the name "".
 */
export function agentNames(siblings: readonly Sibling[]): ReadonlyMap<AgentId, string> {
	const texts = siblings.map(({ task }) => firstLine(cleanText(task)));
	const names = namesOf([...new Set(texts)]);
	return new Map(siblings.map(({ id }, at) => [id, names.get(texts[at] ?? "") ?? ""]));
}

interface Task {
	readonly text: string;
	/** Where its words begin in the text, and where they end. */
	readonly starts: readonly number[];
	readonly ends: readonly number[];
}

/** The words from `start` to before `end` tell the task from its siblings; `end` is past the last one that has to be there. */
interface Difference extends Task {
	readonly start: number;
	readonly end: number;
	/** The sibling with the most words in common at the beginning. */
	readonly nearest: Task | undefined;
}

function namesOf(texts: readonly string[]): ReadonlyMap<string, string> {
	const [only, ...others] = texts;
	if (only !== undefined && others.length === 0) return new Map([[only, wholeClause(taskOf(only))]]);
	const found = groupedByFirstWord(texts.map(taskOf)).flatMap(differences);
	const names = firstThatDiffer(found);
	return new Map(found.map(({ text }, at) => [text, names[at] ?? ""]));
}

const IDEOGRAPHS = "[\\u3041-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff]"; // written without blanks between words
const HAS_IDEOGRAPHS = new RegExp(IDEOGRAPHS);
const WORDS_AND_IDEOGRAPHS = new RegExp(`${IDEOGRAPHS}|(?:(?!${IDEOGRAPHS})\\S)+`, "g");

function taskOf(text: string): Task {
	if (!HAS_IDEOGRAPHS.test(text)) return betweenBlanks(text);
	const words = [...text.matchAll(WORDS_AND_IDEOGRAPHS)];
	return {
		text,
		starts: words.map(({ index }) => index),
		ends: words.map(({ index, 0: word }) => index + word.length),
	};
}

function betweenBlanks(text: string): Task {
	const starts: number[] = [];
	const ends: number[] = [];
	for (let from = 0; from < text.length; from = (ends.at(-1) ?? 0) + 1) {
		const blank = text.indexOf(" ", from);
		starts.push(from);
		ends.push(blank < 0 ? text.length : blank);
	}
	return { text, starts, ends };
}

function wordAt({ text, starts, ends }: Task, at: number): string | undefined {
	const from = starts[at];
	return from === undefined ? undefined : text.slice(from, ends[at]);
}

function groupedByFirstWord(tasks: readonly Task[]): Task[][] {
	const groups = new Map<string, Task[]>();
	for (const task of tasks) {
		const first = wordAt(task, 0) ?? "";
		const group = groups.get(first);
		if (group === undefined) groups.set(first, [task]);
		else group.push(task);
	}
	return [...groups.values()];
}

/** In the order of their texts, those that have the most words in common stand side by side. */
function differences(group: readonly Task[]): Difference[] {
	const sorted = [...group].sort((a, b) => (a.text < b.text ? -1 : 1));
	const shared = sorted.map((task, at) => sharedWords(task, sorted[at + 1]));
	const start = shared.slice(0, -1).reduce((least, words) => Math.min(least, words), Infinity);
	return sorted.map((task, at) => {
		const [before, after] = [shared[at - 1] ?? 0, shared[at] ?? 0];
		const nearest = before > after ? sorted[at - 1] : sorted[at + 1];
		const isBeginning = group.length === 1 || start >= task.starts.length; // alone, or all of it is in the others, too
		const { text, starts, ends } = task;
		return { text, starts, ends, start: isBeginning ? 0 : start, end: Math.max(before, after) + 1, nearest };
	});
}

/** How many words two tasks have in common at their beginning. */
function sharedWords(one: Task, other: Task | undefined): number {
	if (other === undefined) return 0;
	const most = Math.min(one.starts.length, other.starts.length);
	let at = 0;
	while (at < most && wordAt(one, at) === wordAt(other, at)) at++;
	return at;
}

const CHOICES = 4;

/** A name for the task, `choice` from 0: the best first; those behind it have more words. */
function nameFor(difference: Difference, choice: number): string {
	if (choice === CHOICES - 1) return fitWords(difference.text, NAME_COLUMNS);
	const end = phraseEnd(difference);
	const start = choice === 0 ? firstTelling(difference, end) : difference.start;
	const from = withMeaning(difference, start);
	if (choice < 2) return shown(difference, from, end);
	const verb = wordAt(difference, 0) ?? "";
	const phrase = from <= 1 ? shown(difference, 0, end) : `${verb} … ${shown(difference, from, end)}`;
	return fitWords(phrase, NAME_COLUMNS);
}

/** The words as they are in the text, without the punctuation around them; when they are too many, the last of them. */
function shown(difference: Difference, start: number, end: number): string {
	const { text, starts, ends } = difference;
	const between = (from: number) => barePhrase(text.slice(starts[from], ends[end - 1]));
	const whole = between(start);
	const last = Math.min(difference.end, starts.length) - 1;
	if (last <= start || displayWidth(whole) <= NAME_COLUMNS) return fitWords(whole, NAME_COLUMNS);
	return fitWords(between(withMeaning(difference, last)), NAME_COLUMNS);
}

/** The first word from the start on that tells something, so that `how the lexer works` is `lexer works`. */
function firstTelling(task: Difference, end: number): number {
	let at = task.start;
	while (at < end - 1 && isJoining(wordAt(task, at) ?? "")) at++;
	return at;
}

/** A number or a letter means nothing without the word before it, as in `piece 7`. */
function withMeaning(task: Task, start: number): number {
	let from = start;
	const isEnough = () => from === 0 || hasMeaning(wordAt(task, from) ?? "");
	while (!isEnough() && start - from < 2) from--;
	return isEnough() && !isJoining(wordAt(task, from) ?? "") ? from : Math.min(start, from + 1);
}

/** Past the last word of the phrase in which the difference lies. */
function phraseEnd(task: Difference): number {
	const { starts, nearest } = task;
	const most = starts.length;
	let end = Math.min(task.end, most);
	while (end < most && !isPhrase(task, end)) end++;
	// Behind the same number of words the nearest task goes on with the same one: the difference is over.
	const isAlike = () => nearest !== undefined && wordAt(nearest, end) === wordAt(task, end);
	while (end < most && !endsPhrase(task, end) && (task.start === 0 || !isAlike())) end++;
	return end;
}

/** Whether the words before `end` can be a name: at the beginning of a task a verb, and what it is done to. */
function isPhrase(task: Difference, end: number): boolean {
	const last = wordAt(task, end - 1) ?? "";
	if (CLAUSE_END.test(last) && hasMeaning(last)) return true;
	if (isJoining(last)) return false;
	if (task.start > 0) return hasMeaning(last) || withMeaning(task, task.start) < task.start;
	let telling = 0;
	for (let at = 0; at < end; at++) if (!isJoining(wordAt(task, at) ?? "")) telling++;
	return telling >= 2;
}

function endsPhrase(task: Difference, end: number): boolean {
	const [last = "", next = ""] = [wordAt(task, end - 1), wordAt(task, end)];
	return CLAUSE_END.test(last) || /,$/.test(last) || isPath(last) || isJoining(next) || !hasMeaning(last);
}

const CLAUSE_END = /[:;.!?]["'`*_]*$|^[—–-]+$/;

/** The task up to its first colon, semicolon or full stop behind two words. */
function wholeClause(task: Task): string {
	let end = 1;
	while (end < task.ends.length - 1 && !CLAUSE_END.test(wordAt(task, end) ?? "")) end++;
	return fitWords(barePhrase(task.text.slice(0, task.ends[end])), NAME_COLUMNS);
}

const isPath = (word: string) => /\w\/\w|\w\.\w+$/.test(word);
const hasMeaning = (word: string) => /\p{L}{2}|[\u3041-\u30ff\u3400-\u9fff]/u.test(word);
const isJoining = (word: string) => word !== "A" && JOINING.has(word.toLowerCase()); // `option A` is not `a`

const JOINING: ReadonlySet<string> = new Set(
	[
		"a an the this that these those its it is are was be been has have your my our their his her",
		"of in on at to for from with without by as into onto over under about after before between through than",
		"and or but if whether how what which where when why who while so then not no only also",
		"using via per within against across please",
	].flatMap((words) => words.split(" ")),
);

/** The first name of each task that no other task has; its last one when there is none. */
function firstThatDiffer(tasks: readonly Difference[]): string[] {
	const names = tasks.map((task) => nameFor(task, 0));
	for (let choice = 1; choice < CHOICES; choice++) {
		const uses = new Map<string, number>();
		for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
		if (uses.size === names.length) break;
		for (const [at, task] of tasks.entries())
			if ((uses.get(names[at] ?? "") ?? 0) > 1) names[at] = nameFor(task, choice);
	}
	return names;
}

/** A phrase out of a sentence, without what only surrounds it. Pure. */

const PAIRS = [`""`, "''", "``", "()", "[]", "{}", "<>"].map((pair) => ({
	open: pair.charAt(0),
	close: pair.charAt(1),
}));

/** Without punctuation at its ends, and without quotes and brackets there whose partner is not in it, or at its other end. */
function barePhrase(phrase: string): string {
	let text = withoutStops(phrase);
	for (const { open, close } of PAIRS) {
		const isFirst = text.startsWith(open);
		const isLast = text.endsWith(close) && text.length > 1;
		if (isFirst && (isLast || !text.slice(1).includes(close))) text = text.slice(1);
		if (isLast && (isFirst || !text.slice(0, -1).includes(open))) text = text.slice(0, -1);
	}
	return withoutStops(text) || phrase;
}

function withoutStops(text: string): string {
	return text.replace(/^[*_]+(?=\S)|[*_.,:;!?—–-]+$/g, "");
}
