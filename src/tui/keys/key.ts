/** What a person does at the terminal, however the terminal tells it. */

export type Key =
	/** Printable characters of one read; several where they came together, as composed text does. */
	| { readonly is: "text"; readonly text: string }
	| NamedKey
	/** Safe for a terminal, with line feeds between its lines. `isCut`: it was longer than a paste may be. */
	| { readonly is: "paste"; readonly text: string; readonly isCut?: true }
	| { readonly is: "focus"; readonly hasFocus: boolean };

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

/** `ctrl-alt-shift-name` */
export function chordOf({ name, ctrl, alt, shift }: NamedKey): string {
	return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`;
}

/** Esc, or a key with Ctrl: the person answers a question with neither of its letters. */
export function isRefusal(key: Key): boolean {
	return key.is === "key" && (key.name === "escape" || key.ctrl === true);
}
