import { expect, test } from "vitest";
import { type Key, keyOf, sentAs } from "../../../../src/tui/keys/key.ts";
import { KeyReader } from "../../../../src/tui/keys/key-reader.ts";

const ESC = "\u001b";

/** `ctrl-alt-shift-name`, or the text in quotes. */
function written(sequence: string): string | undefined {
	const key = keyOf(sequence);
	switch (key?.is) {
		case "key":
			return `${key.ctrl ? "ctrl-" : ""}${key.alt ? "alt-" : ""}${key.shift ? "shift-" : ""}${key.name}`;
		case "text":
			return JSON.stringify(key.text);
		case "focus":
			return key.hasFocus ? "focus" : "no focus";
		case "paste":
		case "mouse":
		case undefined:
			return undefined;
	}
}

test.each([
	// what all terminals send
	...[
		["a", '"a"'],
		["é", '"é"'],
		["漢", '"漢"'],
		[" ", '" "'],
	],
	...[
		["\r", "enter"],
		["\n", "ctrl-j"],
		["\t", "tab"],
		["\u007f", "backspace"],
		["\b", "ctrl-h"],
		[ESC, "escape"],
	],
	...[
		["\u0001", "ctrl-a"],
		["\u001a", "ctrl-z"],
		["\u001f", "ctrl-_"],
		["\0", "ctrl-space"],
		["\u001d", "ctrl-]"],
	],
	...[
		[`${ESC}b`, "alt-b"],
		[`${ESC}B`, "alt-shift-b"],
		[`${ESC}<`, "alt-<"],
		[`${ESC}\r`, "alt-enter"],
		[`${ESC}\n`, "ctrl-alt-j"],
	],
	...[
		[`${ESC}\u007f`, "alt-backspace"],
		[`${ESC}\u0008`, "ctrl-alt-h"],
		[`${ESC}[`, "alt-["],
		[`${ESC}O`, "alt-shift-o"],
	],
	// xterm, and most others
	...[
		[`${ESC}[A`, "up"],
		[`${ESC}OA`, "up"],
		[`${ESC}[1;5C`, "ctrl-right"],
		[`${ESC}[1;3D`, "alt-left"],
	],
	...[
		[`${ESC}[H`, "home"],
		[`${ESC}[4~`, "end"],
		[`${ESC}[3~`, "delete"],
		[`${ESC}[3;5~`, "ctrl-delete"],
	],
	...[
		[`${ESC}[Z`, "shift-tab"],
		[`${ESC}OP`, "f1"],
		[`${ESC}[24~`, "f12"],
		[`${ESC}OM`, "enter"],
		[`${ESC}Oq`, '"1"'],
	],
	...[
		[`${ESC}[I`, "focus"],
		[`${ESC}[O`, "no focus"],
	],
	// rxvt, the Linux console, and a second escape for Alt
	...[
		[`${ESC}[7~`, "home"],
		[`${ESC}[3^`, "ctrl-delete"],
		[`${ESC}[3$`, "shift-delete"],
		[`${ESC}[a`, "shift-up"],
	],
	...[
		[`${ESC}Od`, "ctrl-left"],
		[`${ESC}[[A`, "f1"],
		[`${ESC}${ESC}[D`, "alt-left"],
		[`${ESC}${ESC}OC`, "alt-right"],
	],
	// modifyOtherKeys
	...[
		[`${ESC}[27;2;13~`, "shift-enter"],
		[`${ESC}[27;5;13~`, "ctrl-enter"],
		[`${ESC}[27;3;13~`, "alt-enter"],
	],
	...[
		[`${ESC}[27;5;47~`, "ctrl-/"],
		[`${ESC}[27;6;67~`, "ctrl-shift-c"],
	],
	// kitty
	...[
		[`${ESC}[27u`, "escape"],
		[`${ESC}[13;2u`, "shift-enter"],
		[`${ESC}[13;5u`, "ctrl-enter"],
		[`${ESC}[13;3u`, "alt-enter"],
	],
	...[
		[`${ESC}[99;5u`, "ctrl-c"],
		[`${ESC}[99;5:2u`, "ctrl-c"],
		[`${ESC}[99;69u`, "ctrl-c"],
		[`${ESC}[106;5u`, "ctrl-j"],
	],
	...[
		[`${ESC}[105;5u`, "tab"],
		[`${ESC}[109;5u`, "enter"],
		[`${ESC}[1089::99;5u`, "ctrl-c"],
		[`${ESC}[44:60;4u`, "alt-<"],
	],
	...[
		[`${ESC}[97;3u`, "alt-a"],
		[`${ESC}[97:65;2u`, '"A"'],
		[`${ESC}[57414u`, "enter"],
		[`${ESC}[57399u`, '"0"'],
	],
	...[
		[`${ESC}[57417u`, "left"],
		[`${ESC}[1;1:1A`, "up"],
		[`${ESC}[57423;5u`, "ctrl-home"],
		[`${ESC}[32;5u`, "ctrl-space"],
	],
])("%j is %s", (sequence, key) => {
	expect(written(sequence)).toBe(key);
});

test.each([
	...[`${ESC}[99;5:3u`, `${ESC}[1;1:3A`], // releases
	...[`${ESC}[99;9u`, `${ESC}[1;9A`, `${ESC}[57441;2u`, `${ESC}[57428u`], // Super, Shift alone, a key for music
	...[
		`${ESC}[?62;4c`,
		`${ESC}[>1;10c`,
		`${ESC}[?1u`,
		`${ESC}[E`,
		`${ESC}[99~`,
		`${ESC}[999999999999u`,
		`${ESC}[1;0A`,
		`${ESC}[u`,
	],
	"\u0085",
])("%j is no key", (sequence) => {
	expect(written(sequence)).toBe(undefined);
});

test("a key that is read later is the same key", () => {
	const typed: Key[] = [
		{ is: "text", text: "héllo" },
		{ is: "key", name: "backspace" },
		{ is: "paste", text: "one\ntwo" },
		{ is: "key", name: "j", ctrl: true },
		{ is: "key", name: "enter", alt: true },
		{ is: "key", name: "enter" },
		{ is: "focus", hasFocus: false },
	];
	const read: Key[] = [];
	const reader = new KeyReader({ keysAre: "text", now: () => 0, onKey: (key) => void read.push(key) });
	for (const key of typed) reader.read(sentAs(key));
	expect(read).toEqual(typed);
});

test("a key that is for what is on the screen means nothing later", () => {
	expect(sentAs({ is: "key", name: "up" })).toBe("");
});
