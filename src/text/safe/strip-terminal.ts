/**
 * What a terminal would show of an output, as plain text: escape sequences are parted from the text, and TerminalRows has
 * what they leave of it. The output may come in pieces, cut anywhere.
 */
import { TerminalRows } from "../width/terminal-rows.ts";

export function plainText(text: string): string {
	if (!/[\b\r\x1b]/.test(text)) return text.replace(CONTROLS, "");
	let shown = "";
	const rendering = new Rendering((part) => {
		shown += part;
	});
	rendering.write(text);
	rendering.end();
	return shown;
}

/** DEL, C1, and C0 without tab and newline. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** CSI with its parameters and its final byte · any other escape. Sticky: they read at `lastIndex`. */
const SEQUENCE = /\x1b(?:\[([0-?]*)[ -/]*([@-~])?|[ -/]*([0-Z\\-~])?)/y;
/** Escapes of one character that move the cursor, and the CSI that do the same. */
const MOVES: ReadonlyMap<string, string> = new Map([
	["M", "A"],
	["D", "B"],
	["E", "E"],
	["7", "s"],
	["8", "u"],
]);
const END_OF_STRING = /[\x07\x1b\n]/g;
const MOST_HELD = 1000; // characters of a sequence whose end has not come
const MOST_OF_IMAGE = 1024 * 1024;

export class Rendering {
	private readonly rows: TerminalRows;
	private readonly final: (text: string) => void;
	/**
	 * Within an OSC (titles, links), which ends with its line, else it would eat the rest; within a DCS, SOS, PM or APC (images),
	 * which may go over many lines when it has an end: ST, and no other escape before it.
	 */
	private within: "text" | "string" | "image" = "text";
	/** The beginning of a sequence that is not complete. */
	private held = "";
	private image: string[] = [];
	private imageSize = 0;

	/** `final` gets the text that can no longer change. */
	constructor(final: (text: string) => void) {
		this.final = final;
		this.rows = new TerminalRows(final);
	}

	/** Nothing is under way: what only prints needs no rendering from here on. */
	get isAtEnd(): boolean {
		return this.within === "text" && this.held === "" && this.rows.isAtEnd;
	}

	write(text: string): void {
		const all = this.held + text;
		this.held = "";
		for (let at = 0; at < all.length; )
			if (this.within === "text") at = this.text(all, at);
			else at = this.within === "string" ? this.string(all, at) : this.imagePart(all, at);
	}

	/** Gives what is still on the screen. Nothing may be written after it. */
	end(onScreen = this.final): void {
		this.held = "";
		if (this.within === "image") this.asString();
		onScreen(this.rows.text());
	}

	/** Reads on from `at`, and gives where it has come to; so do the next three. */
	private text(all: string, at: number): number {
		const found = all.indexOf("\x1b", at);
		this.rows.write(all.slice(at, found < 0 ? all.length : found));
		return found < 0 ? all.length : this.sequence(all, found);
	}

	private sequence(all: string, at: number): number {
		SEQUENCE.lastIndex = at;
		const [sequence = "", parameters = "", final, other] = SEQUENCE.exec(all) ?? [];
		const end = at + sequence.length;
		if (final === undefined && other === undefined && end === all.length) this.held = sequence.slice(0, MOST_HELD);
		else if (final !== undefined) this.rows.control(final, parameters);
		else if (other !== undefined && MOVES.has(other)) this.rows.control(MOVES.get(other) ?? "", "");
		else if (other === "]") this.within = "string";
		else if (/[PX^_]/.test(other ?? "")) this.within = "image";
		return end;
	}

	private string(all: string, at: number): number {
		END_OF_STRING.lastIndex = at;
		const end = END_OF_STRING.exec(all);
		if (end === null) return all.length;
		this.within = "text"; // where ST is a sequence that does nothing
		return end[0] === "\x07" ? end.index + 1 : end.index;
	}

	private imagePart(all: string, at: number): number {
		const found = all.indexOf("\x1b", at);
		const end = found < 0 ? all.length : found;
		this.image.push(all.slice(at, end));
		this.imageSize += end - at;
		if (found >= 0 && found + 1 === all.length) this.held = "\x1b";
		else if (found >= 0 && all[found + 1] === "\\") this.endImage();
		else if (found >= 0 || this.imageSize > MOST_OF_IMAGE) this.asString();
		return this.held === "" ? end : all.length;
	}

	private endImage(): string {
		const image = this.image.join("");
		this.image = [];
		this.imageSize = 0;
		this.within = "text";
		return image;
	}

	/** Without an end it is no image, and ends with its line. */
	private asString(): void {
		const begun = this.endImage();
		this.within = "string";
		this.write(begun);
	}
}
