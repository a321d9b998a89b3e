/** How a transcript is laid out as lines. */
import type { Moment, OutputFiles } from "../../view/transcript/words.ts";
import type { Paint } from "./paint.ts";

export interface TranscriptView extends Moment, OutputFiles {
	readonly paint: Paint;
	/** The width of the terminal; undefined when there is none: then no line is broken. */
	readonly columns: number | undefined;
	/** Nothing is left out. */
	readonly isWhole: boolean;
	/** The agent as it is named on the command line: `RUN/1.2`. */
	readonly ref: string;
}
