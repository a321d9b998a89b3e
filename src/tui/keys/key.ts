/** What a person does at the terminal, however the terminal tells it. */

export type Key =
	/** Printable characters of one read; several where they came together, as composed text does. */
	| { readonly is: "text"; readonly text: string }
	| NamedKey
	| PastedText
	| { readonly is: "focus"; readonly hasFocus: boolean }
	| MouseKey;

/**
 * `name`: enter, tab, escape, backspace, delete, insert, up, down, left, right, home, end, pageup, pagedown, f1 to f12; with Ctrl or
 * Alt also a character, letters as small ones, or space.
 */
export interface NamedKey {
	readonly is: "key";
	readonly name: string;
	readonly ctrl?: true;
	readonly alt?: true;
	readonly shift?: true;
}

/** Safe for a terminal, with line feeds between its lines. `isCut`: it was longer than a paste may be. */
export interface PastedText {
	readonly is: "paste";
	readonly text: string;
	readonly isCut?: true;
}

/** `x` and `y`: a cell of the screen, counted from 0, at the left and at the top. */
export interface MouseKey {
	readonly is: "mouse";
	readonly x: number;
	readonly y: number;
	readonly button: "left" | "wheel_up" | "wheel_down";
}

/** A key of the keyboard. */
export type PressedKey = Extract<Key, { is: "text" | "key" }>;
/** What can be typed into a text. */
export type TypedKey = Extract<Key, { is: "text" | "key" | "paste" }>;

/** `ctrl-alt-shift-name` */
export function chordOf({ name, ctrl, alt, shift }: NamedKey): string {
	return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`;
}

/** By which a table of commands names it: `ctrl-u`, `pageup`, `G`, `space`. */
export function nameOf(key: PressedKey): string {
	if (key.is === "key") return chordOf(key);
	return key.text === " " ? "space" : key.text;
}

/** Esc, or a key with Ctrl: the person answers a question with neither of its letters. */
export function isRefusal(key: Key): boolean {
	return key.is === "key" && (key.name === "escape" || key.ctrl === true);
}
