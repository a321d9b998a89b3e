import { expect, test } from "vitest";
import { keyOf } from "../../../../src/tui/keys/key.ts";

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
			return key.hasFocus ? "focus" : "no-focus";
		case "paste":
		case "mouse":
		case undefined:
			return undefined;
	}
}

/** What terminals send, as in JSON and with `^[` for Escape, and the key. */
const KEYS = String.raw`
	a "a"  é "é"  漢 "漢"  \r enter  \n ctrl-j  \t tab  \u007f backspace  \b ctrl-h  ^[ escape
	\u0001 ctrl-a  \u001a ctrl-z  \u001f ctrl-_  \u0000 ctrl-space  \u001d ctrl-]
	^[b alt-b  ^[B alt-shift-b  ^[< alt-<  ^[\r alt-enter  ^[\n ctrl-alt-j  ^[\u007f alt-backspace  ^[\u0008 ctrl-alt-h
	^[[ alt-[  ^[O alt-shift-o
	^[[A up  ^[OA up  ^[[1;5C ctrl-right  ^[[1;3D alt-left  ^[[H home  ^[[4~ end  ^[[3~ delete  ^[[3;5~ ctrl-delete
	^[[Z shift-tab  ^[OP f1  ^[[24~ f12  ^[OM enter  ^[Oq "1"  ^[[I focus  ^[[O no-focus
	^[[7~ home  ^[[3^ ctrl-delete  ^[[3$ shift-delete  ^[[a shift-up  ^[Od ctrl-left  ^[[[A f1  ^[^[[D alt-left  ^[^[OC alt-right
	^[[27;2;13~ shift-enter  ^[[27;5;13~ ctrl-enter  ^[[27;3;13~ alt-enter  ^[[27;5;47~ ctrl-/  ^[[27;6;67~ ctrl-shift-c
	^[[27u escape  ^[[13;2u shift-enter  ^[[13;5u ctrl-enter  ^[[13;3u alt-enter  ^[[99;5u ctrl-c  ^[[99;5:2u ctrl-c
	^[[99;69u ctrl-c  ^[[106;5u ctrl-j  ^[[105;5u tab  ^[[109;5u enter  ^[[1089::99;5u ctrl-c  ^[[44:60;4u alt-<
	^[[97;3u alt-a  ^[[97:65;2u "A"  ^[[57414u enter  ^[[57399u "0"  ^[[57417u left  ^[[1;1:1A up  ^[[57423;5u ctrl-home
	^[[32;5u ctrl-space`;
const PAIRS =
	KEYS.trim()
		.match(/\S+\s+\S+/g)
		?.map((pair) => pair.split(/\s+/)) ?? [];

test.each(PAIRS)("%s is %s", (sequence = "", key) => {
	expect(written(JSON.parse(`"${sequence.replaceAll("^[", "\\u001b")}"`))).toBe(key);
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
