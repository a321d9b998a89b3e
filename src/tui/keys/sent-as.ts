/** A key as a terminal would send it, for who reads it later. Pure. */
import { PASTE_BEGINS, PASTE_ENDS } from "../../terminal/input-decoder.ts";
import { chordOf, type Key } from "./key.ts";

/** Other keys mean something only for what is on the screen. */
const SENT: Readonly<Record<string, string>> = {
	...{ enter: "\r", tab: "\t", backspace: "\u007f", "ctrl-j": "\n", "alt-enter": "\u001b\r", "ctrl-alt-j": "\u001b\n" },
	...{ "ctrl-u": "\u0015", "ctrl-w": "\u0017" },
};

/** Empty for a key that means nothing later. */
export function sentAs(key: Key): string {
	switch (key.is) {
		case "text":
			return key.text;
		case "paste":
			return `${PASTE_BEGINS}${key.text}${PASTE_ENDS}`;
		case "key":
			return SENT[chordOf(key)] ?? "";
		case "focus":
			return key.hasFocus ? "\u001b[I" : "\u001b[O";
	}
}
