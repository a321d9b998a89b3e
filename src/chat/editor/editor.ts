/** The line that a person writes, as a value: what stands there, where the cursor is, and what was there before. */

export interface Editor {
	/** What is shown. A private character stands for each folded paste. */
	readonly text: string;
	/** In UTF-16 units; never within a character. */
	readonly cursor: number;
	/** Earlier messages, the oldest first. */
	readonly history: readonly string[];
}

/** What the editor cannot do itself. */
export type Wish =
	| { readonly is: "submit"; readonly text: string }
	/** Send at once, and end the call under way. `text` is empty when only waiting messages are meant. */
	| { readonly is: "submit_now"; readonly text: string }
	/** Take the newest waiting message back; give it to the editor by `withText`. */
	| { readonly is: "take_back" }
	/** Escape. */
	| { readonly is: "interrupt" }
	/** Ctrl-C on an empty line. */
	| { readonly is: "cancel" }
	/** Ctrl-D on an empty line. */
	| { readonly is: "leave" }
	/** Open `messageOf` in the person's editor, and give what it has become by `withText`. */
	| { readonly is: "open_editor" }
	| { readonly is: "suspend" }
	| { readonly is: "redraw" }
	| { readonly is: "bell" }
	/** Say it to the person. */
	| { readonly is: "notice"; readonly text: string };

export interface EditorContext {
	/** Of the terminal. */
	readonly columns: number;
	/** How many messages of the person wait to be delivered. */
	readonly queued: number;
	readonly completers: Completers;
}

/** What may stand for what was typed so far; each choice is a whole word, in the order in which they are shown. */
export interface Completers {
	/** `typed`: a path without its `@`. */
	paths(typed: string): readonly Choice[];
	/** `typed`: the path of an agent, as far as it was typed. */
	agents(typed: string): readonly Choice[];
	/** `typed`: the name of a slash command, without the slash. */
	commands(typed: string): readonly Choice[];
	/** What may stand behind a slash command. */
	argumentsOf(command: string, typed: string): readonly Choice[];
}

export interface Choice {
	readonly text: string;
	/** Said beside it where the choices are listed. */
	readonly note?: string;
	/** More of it can follow, as behind a directory: no blank is put behind it. */
	readonly isPartial?: true;
}

export interface Pressed {
	readonly editor: Editor;
	readonly wish?: Wish;
}

export function newEditor(history: readonly string[]): Editor {
	return { text: "", cursor: 0, history };
}

/** The whole message, each folded paste in full. */
export function messageOf({ text }: Editor): string {
	return text;
}

/** Another text in place of what stands there; it can be undone. The cursor is at its end. */
export function withText(editor: Editor, text: string): Editor {
	return { ...editor, text, cursor: text.length };
}
