/** What a key makes of the editor, and what it asks of others. Pure. */
import { chordOf, type Key } from "../keys/key.ts";
import { boundAct } from "./bindings.ts";
import { remembered } from "./browsing.ts";
import { pasted, typed } from "./changing.ts";
import { acceptChoice, type Choosing, cancelChoice, chooseNext } from "./choosing.ts";
import { type Editor, type EditorContext, edited, emptied, messageOf, OTHER, type Pressed, WRITING } from "./editor.ts";
import { isLong } from "./folded-paste.ts";
import { acceptSearch, cancelSearch, type Search, searchFurther, searchOn, searchWithLess } from "./searching.ts";

export function press(editor: Editor, key: Key, context: EditorContext): Pressed {
	if (key.is === "focus") return { editor };
	const { mode } = editor;
	switch (mode.is) {
		case "writing":
			return write(editor, key, context);
		case "prefixed":
			return key.is === "key"
				? pressChord({ ...editor, mode: WRITING }, `ctrl-x ${chordOf(key)}`, context)
				: write({ ...editor, mode: WRITING }, key, context);
		case "searching":
			return search(editor, { key, mode }, context);
		case "choosing":
			return choose(editor, { key, mode }, context);
	}
}

type WritingKey = Exclude<Key, { is: "focus" }>;

function write(editor: Editor, key: WritingKey, context: EditorContext): Pressed {
	switch (key.is) {
		case "text":
			return isLong(key.text) ? pasted(editor, key.text, false) : typed(editor, key.text);
		case "paste":
			return pasted(editor, key.text, key.isCut === true);
		case "key":
			return pressChord(editor, chordOf(key), context);
	}
}

function pressChord(editor: Editor, chord: string, context: EditorContext): Pressed {
	if (chord === "enter") return enter(editor, context);
	if (chord === "ctrl-enter") return enterNow(editor, context);
	return boundAct(chord)?.(editor, context) ?? { editor: { ...editor, last: OTHER } };
}

/** A backslash at the end asks for one more line; two of them are a backslash. */
function enter(editor: Editor, { queued }: EditorContext): Pressed {
	const { text, cursor } = editor;
	const isAtEnd = cursor === text.length;
	const [backslashes = ""] = /\\*$/.exec(text.slice(-1_000)) ?? [];
	if (isAtEnd && backslashes.length % 2 === 1)
		return { editor: edited(editor, { text: `${text.slice(0, -1)}\n`, cursor }) };
	return text.trim() === "" ? enterNow(editor, { queued }) : submit(editor, "submit");
}

/** On an empty line the waiting messages are sent, if there are any. */
function enterNow(editor: Editor, { queued }: Pick<EditorContext, "queued">): Pressed {
	if (editor.text.trim() !== "") return submit(editor, "submit_now");
	return queued > 0 ? { editor, wish: { is: "submit_now", text: "" } } : { editor };
}

function submit(editor: Editor, is: "submit" | "submit_now"): Pressed {
	const text = messageOf(editor);
	const { history } = editor;
	const next = { ...editor, history: { ...history, entries: remembered(history.entries, text) } };
	return { editor: emptied(next), wish: { is, text } };
}

interface InMode<Mode> {
	readonly key: WritingKey;
	readonly mode: Mode;
}

function search(editor: Editor, { key, mode }: InMode<Search>, context: EditorContext): Pressed {
	if (key.is !== "key") return searchFurther(editor, mode, key.text);
	switch (chordOf(key)) {
		case "ctrl-r":
		case "up":
			return searchOn(editor, mode, true);
		case "ctrl-s":
		case "down":
			return searchOn(editor, mode, false);
		case "backspace":
		case "ctrl-h":
			return searchWithLess(editor, mode);
		case "ctrl-g":
		case "ctrl-c":
			return { editor: cancelSearch(editor, mode) };
		case "escape":
		case "tab":
			return { editor: acceptSearch(editor, mode) };
	}
	return write(acceptSearch(editor, mode), key, context);
}

function choose(editor: Editor, { key, mode }: InMode<Choosing>, context: EditorContext): Pressed {
	switch (key.is === "key" ? chordOf(key) : undefined) {
		case "tab":
		case "down":
			return { editor: chooseNext(editor, mode, true) };
		case "shift-tab":
		case "up":
			return { editor: chooseNext(editor, mode, false) };
		case "escape":
			return { editor: cancelChoice(editor, mode) };
		case "enter":
			if (mode.selected !== undefined) return { editor: acceptChoice(editor, mode) };
	}
	const isDirectory = mode.selected !== undefined && mode.choices[mode.selected]?.isPartial === true;
	const chosen: Editor = { ...editor, mode: WRITING };
	if (isDirectory && key.is === "text" && key.text === "/") return { editor: chosen };
	return write(chosen, key, context);
}
