/** The few colours of output for people. */
export interface Paint {
	bold(text: string): string;
	dim(text: string): string;
	cyan(text: string): string;
	red(text: string): string;
}

export const PLAIN: Paint = { bold: (text) => text, dim: (text) => text, cyan: (text) => text, red: (text) => text };

const COLOURED: Paint = {
	bold: (text) => `\u001b[1m${text}\u001b[22m`,
	dim: (text) => `\u001b[2m${text}\u001b[22m`,
	cyan: (text) => `\u001b[36m${text}\u001b[39m`,
	red: (text) => `\u001b[31m${text}\u001b[39m`,
};

/** https://no-color.org: a NO_COLOR that is set and not empty wins over the terminal, a flag over both. */
export function paintFor(asked: boolean | undefined, isTTY: boolean, noColor: string | undefined): Paint {
	return (asked ?? (isTTY && !noColor)) ? COLOURED : PLAIN;
}
