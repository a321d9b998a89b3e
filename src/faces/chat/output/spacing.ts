/** Empty lines between what is of different kinds, so that a conversation can be looked over. Pure. */
import type { Line } from "../../../tui/text/line.ts";
import { EMPTY } from "./shown-lines.ts";

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
