/** The few colors of output for people. */
export interface Paint {
	bold(text: string): string;
	dim(text: string): string;
	cyan(text: string): string;
	red(text: string): string;
	/** Undefined: as it is. */
	tone(text: string, tone: Tone | undefined): string;
}

/** What a text is about: `busy` works, `warn` may need somebody, `bad` has failed. */
export type Tone = "plain" | "dim" | "busy" | "calm" | "good" | "warn" | "bad" | "strong";

export const PLAIN: Paint = {
	bold: (text) => text,
	dim: (text) => text,
	cyan: (text) => text,
	red: (text) => text,
	tone: (text) => text,
};

const [BOLD, DIM, NORMAL] = ["\u001b[1m", "\u001b[2m", "\u001b[22m"];
const [CYAN, RED, YELLOW, UNCOLORED] = ["\u001b[36m", "\u001b[31m", "\u001b[33m", "\u001b[39m"];

/** What printing leaves in text that is painted. */
export const PAINT_SEQUENCES: ReadonlySet<string> = new Set([BOLD, DIM, NORMAL, CYAN, RED, YELLOW, UNCOLORED]);

const COLORED: Paint = {
	bold: (text) => `${BOLD}${text}${NORMAL}`,
	dim: (text) => `${DIM}${text}${NORMAL}`,
	cyan: (text) => `${CYAN}${text}${UNCOLORED}`,
	red: (text) => `${RED}${text}${UNCOLORED}`,
	tone: (text, tone) => {
		switch (tone) {
			case undefined:
			case "plain":
			case "good":
				return text;
			case "dim":
				return COLORED.dim(text);
			case "busy":
			case "calm":
				return COLORED.cyan(text);
			case "warn":
				return `${YELLOW}${text}${UNCOLORED}`;
			case "bad":
				return COLORED.red(text);
			case "strong":
				return COLORED.bold(text);
		}
	},
};

/** https://no-color.org: a NO_COLOR that is set and not empty wins over the terminal, a flag over both. */
export function paintFor(asked: boolean | undefined, isTTY: boolean, noColor: string | undefined): Paint {
	return (asked ?? (isTTY && !noColor)) ? COLORED : PLAIN;
}
