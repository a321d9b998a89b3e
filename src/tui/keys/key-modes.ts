/** What a terminal is asked for, so that it tells of more keys, and of the focus. Pastes are marked by terminal/modes. */
import type { OwnModes } from "../../terminal/modes.ts";

/** `CSI I` when the window gets the focus, `CSI O` when it loses it. */
const FOCUS: OwnModes = { on: "\u001b[?1004h", off: "\u001b[?1004l" };
/** xterm's modifyOtherKeys, level 1: Shift-Enter and Ctrl-Enter are told, and what has a meaning already keeps it. */
const MODIFIED_KEYS: OwnModes = { on: "\u001b[>4;1m", off: "\u001b[>4m" };
/** kitty's protocol: ambiguous keys get sequences (1), with the key of a PC's keyboard at that place (4). A stack, so others' modes come back. */
const KITTY: OwnModes = { on: "\u001b[>5u", off: "\u001b[<u" };

/** Older consoles read no further than to the `>`, and underline what comes. */
const WITHOUT_MODES = /^(dumb|linux|vt\d+.*|ansi|cons25.*)?$/;

/** `term`: the variable TERM. What is set is set back in the other order. */
export function keyModes(term: string | undefined): OwnModes {
	if (WITHOUT_MODES.test(term ?? "")) return { on: "", off: "" };
	const modes = [FOCUS, MODIFIED_KEYS, KITTY];
	return {
		on: modes.map(({ on }) => on).join(""),
		off: modes
			.map(({ off }) => off)
			.reverse()
			.join(""),
	};
}
