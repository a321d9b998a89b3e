/** An editor that is written in by keys, for tests. */
import { drawEditor } from "../../../../src/tui/editor/draw-editor.ts";
import {
	type Completers,
	type Editor,
	type EditorContext,
	type EditorEffect,
	newEditor,
} from "../../../../src/tui/editor/editor.ts";
import { press } from "../../../../src/tui/editor/press.ts";
import type { Key } from "../../../../src/tui/keys/key.ts";
import type { Line } from "../../../../src/tui/text/line.ts";

export const NO_COMPLETERS: Completers = {
	paths: () => [],
	agents: () => [],
	commands: () => [],
	argumentsOf: () => [],
};
export const CONTEXT: EditorContext = { columns: 40, queued: 0, completers: NO_COMPLETERS };

/** `abc<left><ctrl-k>`: what is in angle brackets is a key, all else is typed, one character after the other. */
export function keysOf(written: string): Key[] {
	return (written.match(/<[^<>\s]+>|[^<]|</gu) ?? []).map((piece) => {
		if (!/^<.+>$/.test(piece)) return { is: "text", text: piece };
		const [, modifiers = "", name = ""] = /^<((?:ctrl-|alt-|shift-)*)(.+)>$/.exec(piece) ?? [];
		return {
			...{ is: "key", name: name === "lt" ? "<" : name === "gt" ? ">" : name },
			...(modifiers.includes("ctrl-") ? { ctrl: true } : {}),
			...(modifiers.includes("alt-") ? { alt: true } : {}),
			...(modifiers.includes("shift-") ? { shift: true } : {}),
		} as Key;
	});
}

export interface Typed {
	readonly editor: Editor;
	readonly effects: readonly EditorEffect[];
}

export function type(editor: Editor, keys: string | readonly Key[], context: Partial<EditorContext> = {}): Typed {
	const effects: EditorEffect[] = [];
	let now = editor;
	for (const key of typeof keys === "string" ? keysOf(keys) : keys) {
		const pressed = press(now, key, { ...CONTEXT, ...context });
		now = pressed.editor;
		if (pressed.effect !== undefined) effects.push(pressed.effect);
	}
	return { editor: now, effects };
}

/** The text after the keys, with `|` where the cursor is. */
export function lineAfter(keys: string, history: readonly string[] = [], context: Partial<EditorContext> = {}): string {
	return withCursor(type(newEditor(history), keys, context).editor);
}

export function withCursor({ text, cursor }: Editor): string {
	return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

export function shownText(line: Line): string {
	return line.map(({ text }) => text).join("");
}

/** What is drawn, a row a line. */
export function screenOf(editor: Editor, columns = 40, mostRows = 10): string[] {
	return drawEditor(editor, columns, mostRows).rows.map(shownText);
}
