/** What a terminal can do, as far as its environment says. Pure. */
import type { Colors } from "./paint.ts";
import type { Reflow } from "./region.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface TerminalTraits {
	/** `bare`: not even bold or dim text. */
	readonly colors: Colors;
	/** Until the terminal has answered `question`. */
	readonly reflow: Reflow;
	/** Asks the terminal what it is; empty where that is known, or asking could do harm. */
	readonly question: string;
	/** A terminal may have its new size for so long before it reports it. */
	readonly resizeLagMs: number;
}

/** https://no-color.org: a NO_COLOR that is not empty wins. */
export function terminalTraits(env: Env): TerminalTraits {
	return {
		colors: env.NO_COLOR ? "bare" : "few",
		reflow: reflowOf(env),
		question: kindQuestion(env),
		resizeLagMs: resizeLagOf(env),
	};
}

/**
 * Those that are known to keep a row that is too long in one row; nearly all others of today carry it to the next. At the other
 * end of a line it is not known which one it is: until it has answered, as few rows as can be are taken for the region's.
 */
function reflowOf(env: Env): Reflow {
	const { TMUX, TERM = "", TERM_PROGRAM, XTERM_VERSION, STY } = env;
	if (TMUX) return "wraps";
	if (XTERM_VERSION || STY || /^(linux|vt\d|ansi|rxvt|screen)/.test(TERM)) return "cut";
	if (TERM_PROGRAM === "vscode") return "wraps_above";
	return isFar(env) ? "cut" : "wraps";
}

function kindQuestion(env: Env): string {
	return isFar(env) && !env.TMUX && !env.STY && /^xterm/.test(env.TERM ?? "") ? DA2 : "";
}

/** DA2, which nearly all answer that call themselves an xterm. */
const DA2 = "\u001b[>c";
const ANSWER = /^\u001b\[>(\d+);(\d+)(?:;\d*)*c$/;
/** xterm, GNU screen, and PuTTY among those of a VT100. */
const CUTS = /^(?:41|83);|^0;136$/;

/** What an answer to the question means. */
export function reflowIn(sequence: string): Reflow | undefined {
	const [answer, kind, version] = ANSWER.exec(sequence) ?? [];
	if (answer === undefined) return undefined;
	return CUTS.test(`${kind};${version}`) ? "cut" : "wraps";
}

function isFar({ SSH_CONNECTION, SSH_TTY, TERM_PROGRAM }: Env): boolean {
	return Boolean(SSH_CONNECTION || SSH_TTY) && !TERM_PROGRAM;
}

const LAG_MS = 60;
/** tmux reports a size a quarter of a second after the one before, and has it at once. */
const TMUX_LAG_MS = 300;

function resizeLagOf({ TMUX, TERM = "" }: Env): number {
	return TMUX || /^(tmux|screen)/.test(TERM) ? TMUX_LAG_MS : LAG_MS;
}
