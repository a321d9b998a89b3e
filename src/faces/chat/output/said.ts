/** A line of the conversation's own, or a few. Pure. */
import { echoedWords } from "./messages.ts";
import { EMPTY, rowsWithin } from "./shown-lines.ts";
import type { Spoken } from "./spacing.ts";

export interface Said {
	readonly text: string;
	readonly style?: "plain" | "dim" | "warn" | "bad";
	/** Columns at the begin of its other rows, where it is too long for one. */
	readonly hang?: number;
	/** `report`: begins several lines, which stand by themselves. `echo`: what the person has asked. Default: `notice`. */
	readonly as?: "notice" | "report" | "echo";
}

export function spokenOf({ text, style = "plain", hang = 0, as = "notice" }: Said, columns: number): Spoken {
	if (as === "echo") return echoedWords(text, columns);
	return { kind: as, lines: text === "" ? [EMPTY] : rowsWithin(text, style, { columns, hang }) };
}
