/** A piece of a history: some text of one meaning, with what stands before its rows. */
import type { AgentId } from "../../core/agent.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import type { Tone } from "../scene/line.ts";

export interface Block {
	/** Names the block among those of its agent, however the history grows: a reader's place is a key and an offset. */
	readonly key: string;
	/** Safe for a terminal. */
	readonly text: string;
	readonly tone: Tone;
	/** `mark` stands before the first row, `bar` before the others; they are equally wide. */
	readonly mark: string;
	readonly bar: string;
	/** `streaming`: Markdown that goes on growing. `code`: broken where a row is full. Absent: words. */
	readonly form?: "code" | "markdown" | "streaming" | undefined;
	/** The block is one row, with as many of these behind its text as there is room for. */
	readonly facts?: readonly string[] | undefined;
	/** At the right edge of the first row, where there is room. */
	readonly right?: string | undefined;
	/** An empty row follows. */
	readonly hasGap?: boolean | undefined;
	/** The block is one row that leads to this agent, and shows how it stands. */
	readonly link?: AgentId | undefined;
	/** The number of the command that it is part of. */
	readonly command?: number | undefined;
	/** It stands for what is in the transcript before the first entry that is read. */
	readonly isEarlier?: boolean | undefined;
	/** It stands for output of the command that is not in memory. */
	readonly unread?: PageRange | undefined;
}

/** Pages of a command's output, both ends included. */
export interface PageRange {
	readonly first: number;
	readonly last: number;
}

type Rest = Omit<Block, "key" | "text" | "tone" | "mark" | "bar">;

/** A block of one line or a few. */
export function lineBlock(key: string, text: string, tone: Tone, rest: Rest & { mark?: string } = {}): Block {
	const { mark = "" } = rest;
	return { key, text: cleanText(text), tone, ...rest, mark, bar: " ".repeat(mark.length) };
}

/**
 * Blocks of a text of any length, none when there is nothing in it. It is made safe for a terminal when it is shown: most of a
 * long history never is.
 */
export function textBlocks(
	key: string,
	text: string,
	rest: Rest & { tone: Tone; mark?: string; bar?: string },
): Block[] {
	if (!/\S/.test(text)) return [];
	const { mark = "", bar = " ".repeat(mark.length) } = rest;
	let clean: string | undefined;
	const block: Block = {
		...{ key, ...rest, mark, bar },
		get text() {
			clean ??= cleanText(text)
				.replace(/^\s*\n/, "")
				.trimEnd();
			return clean;
		},
	};
	return [block];
}
