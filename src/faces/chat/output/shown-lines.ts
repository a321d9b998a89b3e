/** Text as lines of one style. What agents wrote is made safe for a terminal here. */
import { redactKnown } from "../../../text/safe/redact.ts";
import { cleanText } from "../../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth } from "../../../text/width/width.ts";
import { type Line, type Row, rowsOf, type Style } from "../../../tui/text/line.ts";

export const EMPTY: Line = [];

export function shownLine(text: string, style: Style = "plain"): Line {
	return [{ text, style }];
}

interface Margin {
	readonly columns: number;
	readonly first?: string;
	/** What stands before its other rows; default: as much space. */
	readonly rest?: string;
	/** Columns at the begin of the rows that a line goes on in; default: none. */
	readonly hang?: number;
	/** Rows are broken where they are full, and keep every blank. */
	readonly isVerbatim?: boolean;
}

export function rowsWithin(text: string, style: Style, margin: Margin): Line[] {
	const { columns, first = "", hang = 0, isVerbatim = false } = margin;
	const { rest = " ".repeat(displayWidth(first)) } = margin;
	const clean = safeText(text).replace(/\n+$/, "");
	if (clean === "") return [];
	const room = Math.max(1, columns - displayWidth(first));
	const rows = clean.split("\n").flatMap((line): Row[] => {
		const parts = [{ text: line, style, from: 0 }];
		return rowsOf({ parts, hang, from: 0, isVerbatim }, room);
	});
	return rows.map(({ parts }, at) => [{ text: at === 0 ? first : rest, style }, ...parts]);
}

export function cutRow(text: string, style: Style, { columns, first = "" }: Margin): Line {
	const clean = safeText(text.slice(0, columns * MOST_UNITS_OF_COLUMN)).replace(/[\n\t]/g, " ");
	return shownLine(fitWidth(first + clean, columns), style);
}

/** Marks without width join a character: more of them than that no language has. */
const MOST_UNITS_OF_COLUMN = 8;

export function safeText(text: string): string {
	return cleanText(redactKnown(text));
}

/** What lines are of. `message`: words of a person. `notice`: something happened. `report`: several lines of the program's own. */
export type Kind = "message" | "text" | "thinking" | "command" | "output" | "child" | "notice" | "report";

export interface Spoken {
	readonly kind: Kind;
	readonly lines: readonly Line[];
}

export class Spacing {
	private last: Kind | undefined;

	/** The lines, and the empty one before them where there should be one. */
	put({ kind, lines }: Spoken): Line[] {
		if (lines.length === 0) return [];
		const gapped = this.before({ kind, lines });
		this.last = kind;
		return gapped;
	}

	/** As `put`, for lines that may change. */
	before({ kind, lines }: Spoken): Line[] {
		return lines.length > 0 && this.hasGap(kind) ? [EMPTY, ...lines] : [...lines];
	}

	private hasGap(kind: Kind): boolean {
		const { last } = this;
		switch (kind) {
			case "message":
			case "report":
				return last !== undefined;
			case "text":
			case "thinking":
			case "command":
				return last !== undefined && last !== kind;
			case "notice":
			case "child":
				return last === "text" || last === "message";
			case "output":
				return false;
		}
	}
}
