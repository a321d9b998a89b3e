/**
 * Thinking that a model writes into its text, as `<think>…</think>` at the very beginning: so do open models behind a server that
 * does not part the two. A tag anywhere else is text.
 */
export const OPENS = "<think>";
const CLOSES = "</think>";

interface Parted {
	readonly thinking: string;
	readonly text: string;
}

export class ThinkingTags {
	private is: "before" | "inside" | "behind" | "text" = "before";
	/** What may be the beginning of a tag. */
	private held = "";

	/** A tag was opened and is not closed. */
	get isOpen(): boolean {
		return this.is === "inside";
	}

	/** What the piece brings, as far as that is certain. */
	take(piece: string): Parted {
		const text = this.held + piece;
		this.held = "";
		switch (this.is) {
			case "before":
				return this.before(text);
			case "inside":
				return this.inside(text);
			case "behind":
				return this.behind(text);
			case "text":
				return { thinking: "", text };
		}
	}

	/** What was held back, at the end of the answer. */
	rest(): Parted {
		const held = this.held;
		this.held = "";
		return this.isOpen ? { thinking: held, text: "" } : { thinking: "", text: held };
	}

	private before(text: string): Parted {
		const start = text.trimStart();
		if (start.length < OPENS.length && OPENS.startsWith(start)) {
			this.held = text;
			return { thinking: "", text: "" };
		}
		this.is = start.startsWith(OPENS) ? "inside" : "text";
		return this.is === "inside" ? this.inside(start.slice(OPENS.length)) : { thinking: "", text };
	}

	private inside(text: string): Parted {
		const end = text.indexOf(CLOSES);
		if (end < 0) {
			const certain = text.length - heldOf(text);
			this.held = text.slice(certain);
			return { thinking: text.slice(0, certain), text: "" };
		}
		this.is = "behind";
		return { ...this.behind(text.slice(end + CLOSES.length)), thinking: text.slice(0, end) };
	}

	/** The white space between thinking and text is of neither. */
	private behind(text: string): Parted {
		const start = text.trimStart();
		if (start !== "") this.is = "text";
		return { thinking: "", text: start };
	}
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function heldOf(text: string): number {
	for (let n = Math.min(text.length, CLOSES.length - 1); n > 0; n--) if (CLOSES.startsWith(text.slice(-n))) return n;
	return 0;
}
