/** What a key makes of the line at a prompt, and what it asks of others. Pure. */
import { chordOf, type Key, type TypedKey } from "../keys/key.ts";
import { acceptChoice, type Choosing, cancelChoice, chooseNext, complete } from "./completion.ts";
import {
	acceptSearch,
	browsed,
	cancelSearch,
	type Editor,
	type EditorContext,
	emptied,
	messageOf,
	type Pressed,
	pasted,
	remembered,
	type Search,
	searchFurther,
	searchOn,
	searchWithLess,
	startSearch,
	typed,
	WRITING,
} from "./editor.ts";
import { boundTo, byChord, editOf, erase, isNewLine } from "./field-keys.ts";
import { edited, isLong, nextCharacter, OTHER } from "./text-field.ts";
import { movedByRow } from "./text-rows.ts";

export function press(editor: Editor, key: Key, context: EditorContext): Pressed {
	if (key.is === "focus" || key.is === "mouse") return { editor };
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

function write(editor: Editor, key: TypedKey, context: EditorContext): Pressed {
	switch (key.is) {
		case "text":
			return isLong(key.text) ? pasted(editor, key.text, false) : typed(editor, key.text);
		case "paste":
			return pasted(editor, key.text, key.isCut === true);
		case "key":
			return isNewLine(key) ? typed(editor, "\n", OTHER) : pressChord(editor, chordOf(key), context);
	}
}

function pressChord(editor: Editor, chord: string, context: EditorContext): Pressed {
	if (chord === "enter") return enter(editor, context);
	if (chord === "ctrl-enter") return enterNow(editor, context);
	const act = boundTo(ACTS, chord);
	if (act !== undefined) return act(editor, context);
	const edit = editOf(chord);
	if (edit === undefined) return { editor: { ...editor, last: OTHER } };
	const next = edit(editor, context.columns);
	return next === undefined ? { editor: { ...editor, last: OTHER }, effect: { is: "bell" } } : { editor: next };
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
	return queued > 0 ? { editor, effect: { is: "submit_now", text: "" } } : { editor };
}

function submit(editor: Editor, is: "submit" | "submit_now"): Pressed {
	const text = messageOf(editor);
	const { history } = editor;
	const next = { ...editor, history: { ...history, entries: remembered(history.entries, text) } };
	return { editor: emptied(next), effect: { is, text } };
}

interface InMode<Mode> {
	readonly key: TypedKey;
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

type Act = (editor: Editor, context: EditorContext) => Pressed;

const browse =
	(isUp: boolean): Act =>
	(editor) => {
		const next = browsed(editor, isUp);
		return next === undefined ? { editor, effect: { is: "bell" } } : { editor: next };
	};

/** Between rows, and at the first or last one through the history; right after that through the history alone. */
const moveRow =
	(isUp: boolean): Act =>
	(editor, context) => {
		if (isUp && editor.text === "" && context.queued > 0) return { editor, effect: { is: "take_back" } };
		const next = editor.last.is === "browsed" ? undefined : movedByRow(editor, isUp, context.columns);
		return next === undefined ? browse(isUp)(editor, context) : { editor: next };
	};

/** A line that is empty already is left. */
const eraseOrLeave: Act = (editor) =>
	editor.text === "" ? { editor, effect: { is: "leave" } } : { editor: erase(nextCharacter)(editor, 0) ?? editor };

const clearOrCancel: Act = (editor) =>
	editor.text === "" ? { editor, effect: { is: "cancel" } } : { editor: edited(editor, { text: "", cursor: 0 }) };

const ACTS = byChord<Act>([
	[["up", "ctrl-p"], moveRow(true)],
	[["down", "ctrl-n"], moveRow(false)],
	[["ctrl-up", "alt-up", "alt-p"], browse(true)],
	[["ctrl-down", "alt-down", "alt-n"], browse(false)],
	[["ctrl-d"], eraseOrLeave],
	[["tab"], complete],
	[["ctrl-r", "ctrl-s"], (editor) => ({ editor: startSearch(editor) })],
	[["ctrl-x"], (editor) => ({ editor: { ...editor, mode: { is: "prefixed" } } })],
	[["ctrl-g", "ctrl-x ctrl-e"], (editor) => ({ editor, effect: { is: "open_editor" } })],
	[["ctrl-l"], (editor) => ({ editor, effect: { is: "redraw" } })],
	[["ctrl-c"], clearOrCancel],
	[["escape"], (editor) => ({ editor, effect: { is: "interrupt" } })],
]);
