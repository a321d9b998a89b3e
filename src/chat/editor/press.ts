/** What a key makes of the editor. Pure. */
import type { Key, NamedKey } from "../keys/key.ts";
import { type Editor, type EditorContext, messageOf, type Pressed, withText } from "./editor.ts";

export function press(editor: Editor, key: Key, context: EditorContext): Pressed {
	switch (key.is) {
		case "text":
		case "paste":
			return { editor: inserted(editor, key.text) };
		case "focus":
			return { editor };
		case "key":
			return pressNamed(editor, key, context);
	}
}

function pressNamed(editor: Editor, key: NamedKey, { queued }: EditorContext): Pressed {
	const text = messageOf(editor);
	const isEmpty = text === "";
	switch (chordOf(key)) {
		case "enter":
			if (isEmpty) return queued > 0 ? { editor, wish: { is: "submit_now", text } } : { editor };
			return { editor: withText(editor, ""), wish: { is: "submit", text } };
		case "ctrl-enter":
			return { editor: withText(editor, ""), wish: { is: "submit_now", text } };
		case "ctrl-j":
		case "alt-enter":
		case "shift-enter":
			return { editor: inserted(editor, "\n") };
		case "backspace":
			return { editor: erased(editor) };
		case "left":
			return { editor: { ...editor, cursor: Math.max(0, editor.cursor - 1) } };
		case "right":
			return { editor: { ...editor, cursor: Math.min(editor.text.length, editor.cursor + 1) } };
		case "up":
			return isEmpty && queued > 0 ? { editor, wish: { is: "take_back" } } : { editor };
		case "escape":
			return { editor, wish: { is: "interrupt" } };
		case "ctrl-c":
			return isEmpty ? { editor, wish: { is: "cancel" } } : { editor: withText(editor, "") };
		case "ctrl-d":
			return isEmpty ? { editor, wish: { is: "leave" } } : { editor };
		case "ctrl-g":
			return { editor, wish: { is: "open_editor" } };
		case "ctrl-l":
			return { editor, wish: { is: "redraw" } };
		case "ctrl-z":
			return { editor, wish: { is: "suspend" } };
	}
	return { editor };
}

/** `ctrl-alt-shift-name`. */
function chordOf({ name, ctrl, alt, shift }: NamedKey): string {
	return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`;
}

function inserted(editor: Editor, text: string): Editor {
	const { text: old, cursor } = editor;
	return { ...editor, text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length };
}

function erased(editor: Editor): Editor {
	const { text, cursor } = editor;
	const at = Math.max(0, cursor - 1);
	return { ...editor, text: text.slice(0, at) + text.slice(cursor), cursor: at };
}
