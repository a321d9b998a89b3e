/** What a terminal can, as far as its environment tells. Pure. */
import type { Reflow } from "./drawn.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Those that are known to keep a row that is too long in one row; nearly all others of today carry it to the next. */
export function reflowOf({ TMUX, TERM = "", TERM_PROGRAM, XTERM_VERSION, STY }: Env): Reflow {
	if (TMUX) return "wraps";
	if (XTERM_VERSION || STY || /^(linux|vt\d|ansi|rxvt|screen)/.test(TERM)) return "cut";
	return TERM_PROGRAM === "vscode" ? "wraps_above" : "wraps";
}

const LAG_MS = 60;
/** tmux tells a size a quarter of a second after the one before, and has it at once. */
const TMUX_LAG_MS = 300;

/** How long a terminal may have a new size before it tells it. */
export function resizeLagOf({ TMUX, TERM = "" }: Env): number {
	return TMUX || /^(tmux|screen)/.test(TERM) ? TMUX_LAG_MS : LAG_MS;
}

/** It obeys no sequences. */
export function isDumb({ TERM }: Env): boolean {
	return !TERM || TERM === "dumb";
}

/** https://no-color.org: a NO_COLOR that is not empty wins. */
export function isWithoutColours({ NO_COLOR }: Env): boolean {
	return Boolean(NO_COLOR);
}
