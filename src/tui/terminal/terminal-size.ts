/** How large a terminal is. */
export type TerminalOutput = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

export interface TerminalSize {
	readonly columns: number;
	readonly rows: number;
}

/** Some terminals, such as serial lines, do not know their size. */
const USUAL: TerminalSize = { columns: 80, rows: 24 };

export function terminalSize({ columns, rows }: TerminalOutput): TerminalSize {
	return { columns: columns || USUAL.columns, rows: rows || USUAL.rows };
}

/** Asks for the size anew: nobody tells it to a program in the background. A change is told as every other. */
export function refreshSize(output: TerminalOutput): void {
	const { _refreshSize: refresh } = output as { _refreshSize?: () => void };
	refresh?.call(output);
}
