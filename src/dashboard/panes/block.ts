/** A piece of a history: some text of one meaning, with what stands before its lines. */
import { cleanText } from "../../text/terminal-safe.ts";
import type { Tone } from "../scene/line.ts";

export interface Block {
	readonly text: string;
	readonly tone: Tone;
	/** `mark` stands before the first line, `bar` before the others. */
	readonly mark: string;
	readonly bar: string;
}

export const GAP: Block = { text: "", tone: "plain", mark: "", bar: "" };

export function proseBlocks(text: string, tone: Tone, mark = ""): Block[] {
	const clean = cleanText(text).trim();
	return clean === "" ? [] : [{ text: clean, tone, mark, bar: " ".repeat(mark.length) }];
}

export function withGap(blocks: Block[]): Block[] {
	return blocks.length === 0 ? blocks : [...blocks, GAP];
}
