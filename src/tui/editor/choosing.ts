/** Tab: the word is completed as far as it is sure; the choices are listed then, and further Tabs go through them. Pure. */
import { completedWord } from "./completed-word.ts";
import { type Editor, type EditorContext, edited, OTHER, type Pressed, WRITING, type WrittenChoice } from "./editor.ts";

export type Choosing = Extract<Editor["mode"], { is: "choosing" }>;

export function complete(editor: Editor, { completers }: EditorContext): Pressed {
	const { text, cursor } = editor;
	const word = completedWord(text, cursor, completers);
	const [only, ...others] = word?.choices ?? [];
	if (word === undefined || only === undefined) return { editor, wish: { is: "bell" } };
	if (others.length === 0) return { editor: finished(written(editor, word.from, only.written), only) };
	const { choices } = word;
	const sure = commonStart(choices);
	const typed = text.slice(word.from, cursor);
	const isLonger = sure.length > typed.length && bare(sure).startsWith(bare(typed));
	const next = isLonger ? written(editor, word.from, sure) : { ...editor, last: OTHER };
	return {
		editor: {
			...next,
			mode: { is: "choosing", choices, selected: undefined, from: word.from, typed: isLonger ? sure : typed },
		},
	};
}

/** The next choice in place of the word, or the one before. */
export function chooseNext(editor: Editor, mode: Choosing, isForward: boolean): Editor {
	const { choices, selected, from } = mode;
	const count = choices.length;
	const next = selected === undefined ? (isForward ? 0 : count - 1) : (selected + (isForward ? 1 : count - 1)) % count;
	return { ...written(editor, from, choices[next]?.written ?? mode.typed), mode: { ...mode, selected: next } };
}

/** The choice stays, and the list goes. */
export function acceptChoice(editor: Editor, { choices, selected }: Choosing): Editor {
	const choice = selected === undefined ? undefined : choices[selected];
	return choice === undefined ? { ...editor, mode: WRITING } : finished(editor, choice);
}

/** What was typed stays, and the list goes. */
export function cancelChoice(editor: Editor, { selected, from, typed }: Choosing): Editor {
	return { ...(selected === undefined ? editor : written(editor, from, typed)), mode: WRITING };
}

function written(editor: Editor, from: number, word: string): Editor {
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
