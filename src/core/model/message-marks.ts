/**
 * Messages that people and other agents send to an agent, as its model reads them. A message cannot look like one of somebody
 * else's: only a text of the supervisor begins with the mark. Pure.
 */
import type { AgentId } from "../agent-id.ts";

/** A longer one is better put into a file. */
export const MAX_MESSAGE_CHARS = 10_000;

/** Of a message that a person writes in a conversation, where a whole log may be pasted. */
export const MAX_TYPED_CHARS = 1_000_000;

/** Who has sent a message; null for a person. */
export type Sender = AgentId | null;

const MARK = "[Message from ";
/** What a model reads for the person. */
const PERSON = "the person";

/** The whole text for the model. */
export function markedText(from: Sender, text: string): string {
	return `${MARK}${from === null ? PERSON : senderName(from)}]\n\n${withoutMarks(text.toWellFormed())}`;
}

/** A text that `markedText` has made, taken apart: its sender in words, and what was sent. Undefined for any other text. */
export function messageIn(text: string): { readonly sender: string; readonly body: string } | undefined {
	const end = text.indexOf("]\n\n");
	if (!text.startsWith(MARK) || end < 0) return undefined;
	const sender = text.slice(MARK.length, end);
	return { sender: sender === PERSON ? senderName(null) : sender, body: text.slice(end + 3) };
}

/** `you`, `agent 1.2`: as people read it. */
export function senderName(from: Sender): string {
	return from === null ? "you" : `agent ${from}`;
}

/** What an agent is told whose answer is held back, since a message has come meanwhile. */
export const HELD_BACK =
	"[A message arrived while you were answering, so this answer was not sent. The message follows. Read it, then give your complete answer again.]";

/** What the model is told behind what it said or did, when a person ended that. */
export const INTERRUPTED_BY_PERSON = "[The person interrupted you here.]";

/** Stands before what a person's own command printed, behind the words of the message that carries it. */
export const RAN_HERE = "[I ran this command here myself:]";

/** Stands before those, in place of what older ones printed. */
export const EARLIER_LEFT_OUT = "[What earlier commands printed here is left out.]";

/** Begins the line, behind the words of a message, that names files which the person has restored. */
export const PUT_BACK = "[I used undo to restore ";

/** Begins a question of a person that is asked beside the conversation. */
export const ASIDE = "[A side question from the person.";

/** Stands before what is said behind the results of commands, where a service takes it only with the last of them. */
export const SAID_BEHIND = "[This is said to you, and was not printed by a command:]";

/** The text, with whatever looks like a word of the supervisor on who speaks quoted: what commands print, and what others send. */
export function withoutMarks(text: string): string {
	return quotedMarks(text, MARKS);
}

const MARKS = [MARK, HELD_BACK, INTERRUPTED_BY_PERSON, RAN_HERE, EARLIER_LEFT_OUT, PUT_BACK, ASIDE, SAID_BEHIND];

/** The person's words of a message, without what their own commands printed and what they have put back. */
export function wordsIn(message: string): string {
	return carriedIn(message).words;
}

/** The message as it was sent, without what the supervisor has put behind it. */
export function withoutUndo(message: string): string {
	return message.split(`\n\n${PUT_BACK}`, 1)[0] ?? "";
}

/** A message of a person taken apart: their words, how many of their own commands it carries, and whether files were put back. */
export function carriedIn(message: string): {
	readonly words: string;
	readonly commands: number;
	readonly isUndo: boolean;
} {
	const [before = "", ...undone] = message.split(`\n\n${PUT_BACK}`);
	const [first = "", ...ran] = before.split(`\n\n${RAN_HERE}`);
	const isShortened = ran.length > 0 && first.endsWith(`\n\n${EARLIER_LEFT_OUT}`);
	const words = isShortened ? first.slice(0, -EARLIER_LEFT_OUT.length - 2) : first;
	return { words, commands: ran.length, isUndo: undone.length > 0 };
}

/** Whether the text is a message of this kind or announces one: it is no task, and no command. */
export function isOfMessages(text: string): boolean {
	return text.startsWith(MARK) || text === HELD_BACK || text === INTERRUPTED_BY_PERSON;
}

/**
 * Texts of the supervisor that tell a model who speaks begin with marks in brackets. A text of anybody else that has one, or what looks like one
 * (other letters, other brackets, with characters between that nothing shows), has it quoted. Pure.
 */

const BRACKETS =
	/[[\u2045\u207d\u208d\u23a1\u2768-\u2775\u27e6\u298b\u298d\u298f\u2997\u3010\u3014\u3016\u3018\u301a\ufe47\ufe5d\uff3b]/g;
const SPACE = /[\t-\r\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
/** Nothing shows them by themselves. Compiled at first use: properties of characters are large. */
let unseen: RegExp | undefined;

/** `marks`: each with its bracket before it. */
function quotedMarks(text: string, marks: readonly string[]): string {
	const begins = marks.map((mark) => mark.slice(1, TELLING).trim().toLowerCase());
	return text.replace(BRACKETS, (bracket, at: number) =>
		isMark(text.slice(at + 1), begins) ? `> ${bracket}` : bracket,
	);
}

/** So many characters of a mark are enough to look like it. */
const TELLING = 15;

function isMark(words: string, begins: readonly string[]): boolean {
	unseen ??= compileUnseen();
	let left = begins;
	let at = 0;
	let isSpace = true;
	for (const character of words) {
		const wasSpace: boolean = isSpace;
		isSpace = SPACE.test(character);
		if (isSpace ? wasSpace : unseen.test(character)) {
			isSpace = wasSpace;
			continue;
		}
		for (const one of isSpace ? " " : character.normalize("NFKC").toLowerCase()) {
			left = left.filter((begin) => looksLike(one, begin.charAt(at)));
			at += 1;
			if (left.some((begin) => begin.length === at)) return true;
		}
		if (left.length === 0) return false;
	}
	return false;
}

function compileUnseen(): RegExp {
	const properties = ["Cc", "Cf", "M", "Default_Ignorable_Code_Point"].map((name) => `\\p{${name}}`);
	return new RegExp(`[${properties.join("")}]`, "u");
}

/** A letter of another script may look like any letter. */
function looksLike(one: string, letter: string): boolean {
	return one === letter || (one > "\x7f" && /[a-z]/.test(letter));
}
