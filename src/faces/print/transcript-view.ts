/** How a transcript is laid out as lines. */
import type { Paint } from "./paint.ts";

export interface TranscriptView {
	readonly paint: Paint;
	/** The width of the terminal; undefined when there is none: then no line is broken. */
	readonly columns: number | undefined;
	readonly now: number;
	/** The agent will do no more. */
	readonly isOver: boolean;
	/** Nothing is left out. */
	readonly isWhole: boolean;
	/** The agent as it is named on the command line: `RUN/1.2`. */
	readonly ref: string;
	/** The path of a file of the agent below the run's directory: `out/0003.log` → `1/2/out/0003.log`. */
	readonly pathOf: (log: string) => string;
	/** The end of a command's output file; undefined when there is none. */
	readonly tailOf: (
		log: string,
	) => { readonly text: string; readonly isCut: boolean; readonly bytes: number } | undefined;
}
