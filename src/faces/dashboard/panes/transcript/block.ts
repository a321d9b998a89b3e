/** A piece of a transcript: some text of one meaning, with what stands before its rows. */
import type { AgentId } from "../../../../core/model/agent.ts";
import { cleanText } from "../../../../text/safe/terminal-safe.ts";
import type { Style } from "../../../../tui/text/line.ts";
import { type Fence, fencesIn } from "../../../../tui/text/markdown.ts";
import type { Scroll } from "../../scene/ui-state.ts";

export interface Block {
	/** Names the block among those of its agent, however the transcript grows: a reader's place is a key and an offset. */
	readonly key: string;
	/** The key that it had while its text was written. */
	readonly formerKey?: string | undefined;
	/** Safe for a terminal. */
	readonly text: string;
	readonly tone: Style;
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
	/** The code within which its Markdown begins. */
	readonly fence?: Fence | undefined;
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
export function lineBlock(key: string, text: string, tone: Style, rest: Rest & { mark?: string } = {}): Block {
	const { mark = "" } = rest;
	return { key, text: cleanText(text), tone, ...rest, mark, bar: " ".repeat(mark.length) };
}

/** A longer text is several blocks, so that what is shown of it costs no more than what is not. */
const MOST_CHARACTERS = 16 * 1024;

/**
 * Blocks of a text of any length, none when there is nothing in it. They are made safe for a terminal when they are shown:
 * most of a long transcript never is. Where a long text is parted does not change as it grows.
 */
export function textBlocks(key: string, text: string, look: TextLook): Block[] {
	const begin = /^\s*\n/.exec(text)?.[0].length ?? 0;
	const parts = partsOf(text, begin, text.trimEnd().length);
	const fenceAt = fencesIn(text);
	return parts.map((part, index) => new TextBlock({ key, text, look, fenceAt, parts: parts.length }, part, index));
}

/** How the blocks of a text look. */
type TextLook = Pick<Block, "tone" | "form" | "right" | "hasGap" | "command" | "formerKey"> & {
	readonly mark?: string;
	readonly bar?: string;
};

interface Source {
	readonly key: string;
	readonly text: string;
	readonly look: TextLook;
	readonly parts: number;
	readonly fenceAt: (at: number) => Fence | undefined;
}

/** A part of a text. Long transcripts have very many: what is seldom asked for is made when it is. */
class TextBlock implements Block {
	readonly key: string;
	readonly tone: Style;
	readonly mark: string;
	readonly bar: string;
	readonly command: number | undefined;
	private readonly source: Source;
	private readonly part: Part;
	private readonly index: number;
	private clean: string | undefined;

	constructor(source: Source, part: Part, index: number) {
		const { mark = "", bar = " ".repeat(mark.length), tone, command } = source.look;
		this.key = partKey(source.key, index);
		this.tone = tone;
		this.mark = index === 0 ? mark : bar;
		this.bar = bar;
		this.command = command;
		this.source = source;
		this.part = part;
		this.index = index;
	}

	get text(): string {
		const { from, to } = this.part;
		this.clean ??= cleanText(this.source.text.slice(from, to));
		return this.clean;
	}

	get form(): Block["form"] {
		const { form } = this.source.look;
		return form === "streaming" && !this.isLast ? "markdown" : form;
	}

	get formerKey(): string | undefined {
		return this.index === 0 ? this.source.look.formerKey : undefined;
	}

	get fence(): Fence | undefined {
		return this.index === 0 ? undefined : this.source.fenceAt(this.part.from);
	}

	get right(): string | undefined {
		return this.index === 0 ? this.source.look.right : undefined;
	}

	get hasGap(): boolean {
		return this.isLast && this.source.look.hasGap === true;
	}

	private get isLast(): boolean {
		return this.index === this.source.parts - 1;
	}
}

interface Part {
	readonly from: number;
	/** Before the line end at which the text is parted. */
	readonly to: number;
}

function partsOf(text: string, begin: number, end: number): Part[] {
	const parts: Part[] = [];
	for (let from = begin; from < end; ) {
		const full = from + MOST_CHARACTERS;
		const lineEnd = full >= end ? end : text.indexOf("\n", full);
		if (lineEnd >= 0 && lineEnd < full + MOST_CHARACTERS) {
			parts.push({ from, to: Math.min(lineEnd, end) });
			from = lineEnd + 1;
		} else {
			const to = full + MOST_CHARACTERS - (isLowSurrogate(text, full + MOST_CHARACTERS) ? 1 : 0);
			parts.push({ from, to: Math.min(to, end) });
			from = to;
		}
	}
	return parts;
}

function isLowSurrogate(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The keys of the blocks of a transcript. Those of its items last as long as the transcript is shown, and so do these. */

export const noteTextKey = (note: string) => `${note}.text`;
export const pageKey = (command: number, page: number) => `output:${command}@${page}`;

/** A long text is several blocks. */
const partKey = (key: string, part: number) => (part === 0 ? key : `${key}~${part}`);

/** The key of a text without that of its part, and what that adds to it. */
export function withoutPart(key: string): [key: string, part: string] {
	const [, text = key, part = ""] = /^([^~]*)(~\d+)$/.exec(key) ?? [];
	return [text, part];
}

/** The page of a command's output in which a place is. */
export function pageOf(scroll: Scroll): { command: number; page: number } | undefined {
	const [, command, page] = scroll.is === "at" ? (/^output:(\d+)@(\d+)$/.exec(scroll.key) ?? []) : [];
	return command === undefined ? undefined : { command: Number(command), page: Number(page) };
}

/** What comes before the last part, which may be known only later. */
export function familyOf(key: string): string | undefined {
	const at = key.indexOf("@");
	return at < 0 ? undefined : key.slice(0, at + 1);
}
