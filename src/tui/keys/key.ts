/** What a person does at the terminal, however the terminal reports it. */

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
interface NamedKey {
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

/**
 * The key that a terminal's sequence stands for: what xterm sends, and those that follow it, rxvt's and the Linux console's own,
 * xterm's modifyOtherKeys, and the keyboard protocol of kitty. Pure.
 */

/** Undefined for what stands for no key: keys with Super or Hyper, releases, and what no program knows. */
export function keyOf(sequence: string): Key | undefined {
	if (sequence === FOCUS_GAINED || sequence === FOCUS_LOST) return { is: "focus", hasFocus: sequence === FOCUS_GAINED };
	if (!sequence.startsWith(ESC) || sequence === ESC) return keyOfCharacter(sequence, NO_MODIFIERS);
	// `ESC ESC [ A`: some terminals send Alt so.
	if (sequence.startsWith(`${ESC}${ESC}`)) return withAlt(keyOf(sequence.slice(1)));
	const [, consoleKey] = /^\u001b\[\[([A-E])$/.exec(sequence) ?? [];
	if (consoleKey !== undefined) return named(`f${consoleKey.charCodeAt(0) - 64}`, NO_MODIFIERS);
	const [, start, parameters = "", final = ""] = /^\u001b([[O])([\d;:]*)([A-Za-z~^$@])$/.exec(sequence) ?? [];
	if (start === "[") return keyOfCsi(parameters, final);
	if (start === "O" && final !== "") return keyOfSs3(parameters, final);
	return sequence.length > 3 ? undefined : keyOfCharacter(sequence.slice(1), { ...NO_MODIFIERS, alt: true });
}

export const ESC = "\u001b";
/** The marks that a terminal puts around a paste. */
export const PASTE_BEGINS = `${ESC}[200~`;
export const PASTE_ENDS = `${ESC}[201~`;
const FOCUS_GAINED = `${ESC}[I`;
const FOCUS_LOST = `${ESC}[O`;

interface Modifiers {
	readonly ctrl: boolean;
	readonly alt: boolean;
	readonly shift: boolean;
}

const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false };

const BY_LETTER: Readonly<Record<string, string>> = {
	...{ A: "up", B: "down", C: "right", D: "left", F: "end", H: "home" },
	...{ P: "f1", Q: "f2", R: "f3", S: "f4", Z: "tab" },
	...{ a: "up", b: "down", c: "right", d: "left" },
};

const BY_NUMBER: Readonly<Record<string, string>> = {
	...{ 1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end" },
	...{ 11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10" },
	...{ 23: "f11", 24: "f12" },
};

/** What the keypad sends in its application mode, which another program may have left on. */
const KEYPAD: Readonly<Record<string, string>> = {
	...{ p: "0", q: "1", r: "2", s: "3", t: "4", u: "5", v: "6", w: "7", x: "8", y: "9" },
	...{ j: "*", k: "+", l: ",", m: "-", n: ".", o: "/", X: "=" },
};

/** Keypad keys have code points of their own in kitty's protocol, in this order. */
const KITTY_KEYPAD_FIRST = 57_399;
const KITTY_KEYPAD = [
	..."0123456789./*-+",
	...["enter", "=", ",", "left", "right", "up", "down", "pageup", "pagedown", "home", "end", "insert", "delete"],
];

function keyOfCsi(parameters: string, final: string): Key | undefined {
	const [first = "", second = "", third = ""] = parameters.split(";");
	if (final === "u") return keyOfCode(first, second);
	if (final === "~" && first === "27" && third !== "") return keyOfCode(third, second);
	const modifiers = modifiersOf(second);
	if (modifiers === undefined) return undefined;
	if (final === "Z") return named("tab", { ...modifiers, shift: true });
	const name = /[~^$@]/.test(final) ? BY_NUMBER[first] : BY_LETTER[final];
	if (name === undefined) return undefined;
	return named(name, {
		ctrl: modifiers.ctrl || final === "^" || final === "@",
		alt: modifiers.alt,
		shift: modifiers.shift || /[$@a-d]/.test(final),
	});
}

function keyOfSs3(parameters: string, final: string): Key | undefined {
	const modifiers = modifiersOf(parameters.split(";").at(-1) ?? "");
	if (modifiers === undefined) return undefined;
	const keypad = KEYPAD[final];
	if (keypad !== undefined) return keyOfCharacter(keypad, modifiers);
	if (final === "M") return named("enter", modifiers);
	const name = BY_LETTER[final];
	return name === undefined ? undefined : named(name, { ...modifiers, ctrl: modifiers.ctrl || /[a-d]/.test(final) });
}

/** `code:shifted:base` in kitty's protocol: the shifted key, and the key that stands there on a PC's keyboard. */
function keyOfCode(codes: string, field: string): Key | undefined {
	const modifiers = modifiersOf(field);
	const [code, shifted, base] = codes.split(":").map((digits) => (digits === "" ? undefined : Number(digits)));
	if (modifiers === undefined || code === undefined || code > MAX_CODE_POINT) return undefined;
	const keypad = KITTY_KEYPAD[code - KITTY_KEYPAD_FIRST];
	if (keypad !== undefined) return keypad.length === 1 ? keyOfCharacter(keypad, modifiers) : named(keypad, modifiers);
	if (code >= 57_344 && code <= 63_743) return undefined; // keys without a character, such as those for music
	if (modifiers.shift && shifted !== undefined && shifted <= MAX_CODE_POINT)
		return keyOfCharacter(String.fromCodePoint(shifted), { ...modifiers, shift: false });
	const isChord = modifiers.ctrl || modifiers.alt;
	return keyOfCharacter(String.fromCodePoint(isChord && code > 127 && base !== undefined ? base : code), modifiers);
}

const MAX_CODE_POINT = 0x10ffff;

/** One more than the sum of the bits; `:3` behind it is a release. Super and Hyper are the desktop's. */
function modifiersOf(field: string): Modifiers | undefined {
	const [sum = "", event = ""] = field.split(":");
	const bits = sum === "" ? 0 : Number(sum) - 1;
	const [SHIFT, ALT, CTRL, SUPER, HYPER, META] = [1, 2, 4, 8, 16, 32];
	if (event === "3" || bits < 0 || bits & (SUPER | HYPER)) return undefined;
	return { ctrl: (bits & CTRL) !== 0, alt: (bits & (ALT | META)) !== 0, shift: (bits & SHIFT) !== 0 };
}

const CONTROL_NAMES: Readonly<Record<string, string>> = {
	...{ "\t": "tab", "\r": "enter", "\u001b": "escape", "\u007f": "backspace" },
};

/** What the keyboard sends with Ctrl where it has no way to say more: Ctrl-I is Tab. */
const SAME_AS: Readonly<Record<string, string>> = { i: "tab", m: "enter", "[": "escape" };

/** A character is text, unless it is a control character or comes with Ctrl or Alt. */
function keyOfCharacter(character: string, modifiers: Modifiers): Key | undefined {
	const controlName = CONTROL_NAMES[character];
	if (controlName !== undefined) return named(controlName, modifiers);
	if (character < " ") return keyOfCharacter(letterOf(character), { ...modifiers, ctrl: true });
	if (character <= "\u009f" && character >= "\u007f") return undefined;
	const { ctrl, alt, shift } = modifiers;
	if (!ctrl && !alt) return { is: "text", text: shift ? character.toUpperCase() : character };
	const small = character.toLowerCase();
	const isCapital = small !== character;
	const same = ctrl && !alt ? SAME_AS[small] : undefined;
	if (same !== undefined) return named(same, { ...modifiers, ctrl: false });
	return named(character === " " ? "space" : small, { ctrl, alt, shift: shift || isCapital });
}

/** `\u0001` is Ctrl-A, `\u001f` Ctrl-_, `\0` Ctrl-Space. */
function letterOf(control: string): string {
	return control === "\0" ? " " : String.fromCharCode(control.charCodeAt(0) + 64).toLowerCase();
}

function named(name: string, { ctrl, alt, shift }: Modifiers): NamedKey {
	return { is: "key", name, ...(ctrl ? { ctrl } : {}), ...(alt ? { alt } : {}), ...(shift ? { shift } : {}) };
}

function withAlt(key: Key | undefined): Key | undefined {
	return key?.is === "key" ? { ...key, alt: true } : undefined;
}
