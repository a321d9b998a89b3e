/** The line at the prompt: keys become what the person wants of the conversation. */
import { defined } from "../core/defined.ts";
import type { ShownLine } from "../text/styled-line.ts";
import { displayWidth } from "../text/width.ts";
import { type ChatState, isWorking, type Question, queuedMessages } from "./chat-state.ts";
import { completersOf } from "./completers.ts";
import { drawEditor } from "./editor/draw-editor.ts";
import { type Editor, messageOf, newEditor, type Wish, withText } from "./editor/editor.ts";
import { press } from "./editor/press.ts";
import { chordOf, type Key } from "./keys/key.ts";
import { questionRows } from "./question.ts";
import type { Input } from "./update.ts";

export interface LineInputOptions {
	/** Earlier messages, the oldest first. */
	readonly history: readonly string[];
	readonly columns: () => number;
	readonly onInput: (input: Input) => void;
	/** What is for the terminal alone. */
	readonly onTerminal: (wish: TerminalWish) => void;
}

export type TerminalWish = "suspend" | "redraw" | "bell" | "open_editor" | { readonly say: string };

/** Keys that answer no question. */
const OF_TERMINAL: Readonly<Record<string, "suspend" | "redraw">> = { "ctrl-z": "suspend", "ctrl-l": "redraw" };

interface DrawnLine {
	readonly rows: readonly ShownLine[];
	readonly cursor: { readonly row: number; readonly column: number };
}

export class LineInput {
	readonly #options: LineInputOptions;
	#editor: Editor;
	/** The question that is on the screen. */
	#shown: Question["is"] | undefined;

	constructor(options: LineInputOptions) {
		this.#options = options;
		this.#editor = newEditor(options.history);
	}

	get text(): string {
		return messageOf(this.#editor);
	}

	setText(text: string): void {
		this.#editor = withText(this.#editor, text);
	}

	/** In front of what is being written. */
	putBack(text: string): void {
		const { text: written } = this;
		this.setText(written.trim() === "" ? text : `${text}\n\n${written}`);
	}

	press(key: Key, state: ChatState): void {
		const { onInput, onTerminal, columns } = this.#options;
		if (key.is === "focus") return onInput({ is: "focus", hasFocus: key.hasFocus });
		const own = state.question === undefined || key.is !== "key" ? undefined : OF_TERMINAL[chordOf(key)];
		if (own !== undefined) return onTerminal(own);
		if (state.question !== undefined)
			return onInput({ is: "key", key, ...defined({ isUnseen: this.#isUnseen(state.question, key) || undefined }) });
		// A search and a list of choices have a Ctrl-C of their own.
		const isBusy = isWorking(state) || state.local !== undefined || state.link.is === "ending";
		if (key.is === "key" && chordOf(key) === "ctrl-c" && isBusy && this.#editor.mode.is === "writing")
			return onInput({ is: "cancel", isEmpty: this.text === "" });
		const queued = queuedMessages(state).length;
		const pressed = press(this.#editor, key, { columns: columns(), queued, completers: completersOf(state) });
		this.#editor = pressed.editor;
		if (pressed.wish === undefined) this.#options.onTerminal({ say: "" });
		else this.#tell(pressed.wish);
	}

	/** Whoever goes on typing has not read a question that came up meanwhile. */
	#isUnseen({ is }: Question, key: Key): boolean {
		return key.is === "text" && is !== "picking" && is !== this.#shown;
	}

	/** A question stands in its place. */
	draw(state: ChatState, columns: number): DrawnLine {
		this.#shown = state.question?.is;
		if (state.question === undefined) return drawEditor(this.#editor, columns);
		const rows = questionRows(state, state.question);
		const column = displayWidth((rows[0]?.parts ?? []).map(({ text }) => text).join(""));
		return { rows, cursor: { row: 0, column: Math.min(column, Math.max(0, columns - 1)) } };
	}

	#tell(wish: Wish): void {
		const { onInput, onTerminal } = this.#options;
		switch (wish.is) {
			case "submit":
				return onInput({ is: "submit", text: wish.text });
			case "submit_now":
				return onInput({ is: "submit", text: wish.text, isAtOnce: true });
			case "take_back":
			case "interrupt":
			case "leave":
				return onInput({ is: wish.is });
			case "cancel":
				return onInput({ is: "cancel", isEmpty: true });
			case "notice":
				return onTerminal({ say: wish.text });
			case "open_editor":
			case "suspend":
			case "redraw":
			case "bell":
				return onTerminal(wish.is);
		}
	}
}
