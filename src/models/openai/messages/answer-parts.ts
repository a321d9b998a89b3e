/** An answer while it grows: thinking, text, calls, in this order, whatever the order in which their pieces come. */

import type { AssistantBlock } from "../../../core/model/message.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import { markedThinking } from "../../provider/marked-thinking.ts";
import { AnswerSize, checkDepth } from "../../service/answer-size.ts";
import { ToolCallPieces, type WirePiece } from "./tool-calls.ts";

const [THINKING, TEXT, FIRST_CALL] = [0, 1, 2];

export class AnswerParts {
	readonly calls = new ToolCallPieces();
	private readonly thinking: string[] = [];
	private readonly text: string[] = [];
	private readonly size = new AnswerSize();
	private readonly tags = new ThinkingTags();

	/** Each gives what can be shown at once, and throws TooLarge. */
	addThinking(text: string): ModelDelta[] {
		this.size.add({ text });
		this.thinking.push(text);
		return text === "" ? [] : [{ kind: "thinking", text, block: THINKING }];
	}

	addText(written: string): ModelDelta[] {
		const { thinking, text } = this.tags.take(written);
		this.size.add({ text });
		this.text.push(text);
		const shown: ModelDelta[] = text === "" ? [] : [{ kind: "text", text, block: TEXT }];
		return [...(thinking === "" ? [] : this.addThinking(thinking)), ...shown];
	}

	addCall(piece: WirePiece, at: number): ModelDelta[] {
		const { call, command, isNew } = this.calls.take(piece, at);
		const { id, function: named, extra_content: extra } = piece;
		this.size.add({ id, ...named, extra: extra && JSON.stringify(extra) }, isNew);
		return command === "" ? [] : [{ kind: "command", text: command, block: FIRST_CALL + call }];
	}

	/** The size of all that has come. */
	get chars(): number {
		return this.size.chars;
	}

	get hasAny(): boolean {
		return this.calls.count > 0 || this.text.some((text) => text.trim() !== "");
	}

	/** Of the whole text or thinking, what has not come before, in pieces. */
	restOf(whole: { text: string; thinking: string }): { text: string; thinking: string } {
		return { text: rest(whole.text, this.text.join("")), thinking: rest(whole.thinking, this.thinking.join("")) };
	}

	/** `service`: whose the thinking is; `data`: what goes back with it. Throws for content that cannot be sent back. */
	content(service: string, data: string): AssistantBlock[] {
		const { thinking, text } = this.parted();
		const content: AssistantBlock[] = [
			...(thinking === "" && data === "" ? [] : [markedThinking(thinking, service, data)]),
			...(text === "" ? [] : [{ type: "text" as const, text }]),
			...this.calls.finished(),
		];
		checkDepth(content);
		return content;
	}

	/** What was begun as thinking and never closed, before no call, was the answer all the same. */
	private parted(): { thinking: string; text: string } {
		const isText = this.tags.isOpen && this.calls.count === 0;
		const held = this.tags.rest();
		const [thinking, text] = [this.thinking.join("") + held.thinking, this.text.join("") + held.text];
		return isText ? { thinking: "", text: `${OPENS}${thinking}${text}` } : { thinking, text };
	}
}

function rest(whole: string, before: string): string {
	if (before === "") return whole;
	return whole.startsWith(before) ? whole.slice(before.length) : "";
}

/**
 * Thinking that a model writes into its text, as `<think>…</think>` at the very beginning: so do open models behind a server that
 * does not part the two. A tag anywhere else is text.
 */
const OPENS = "<think>";
const CLOSES = "</think>";

interface Parted {
	readonly thinking: string;
	readonly text: string;
}

class ThinkingTags {
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
