/**
 * Reads server-sent events (WHATWG HTML, 9.2.6) as services and gateways write them: lines end with LF, CR or CRLF, a BOM may
 * come first, comments and fields of other names are passed over, `event:` may be missing, and so may the empty line after
 * an event. Every size is bounded, counted after decompression, and a long line takes time in proportion to its length.
 */
import { formatBytes } from "../../core/bytes.ts";
import { jsonOf } from "../protocol/service-words.ts";
import { TooLarge } from "./answer-size.ts";

export interface ServerSentEvent {
	/** Undefined without an `event:` line. */
	readonly name: string | undefined;
	readonly data: string;
}

export interface StreamBounds {
	/** Of the whole stream, in bytes. */
	readonly maxBytes: number;
	/** Of one event, in characters. */
	readonly maxEventChars: number;
}

const MIB = 1024 * 1024;

/** Far above any answer: 128,000 tokens, each in an event of its own, are some 20 MiB. */
const STREAM_BOUNDS: StreamBounds = { maxBytes: 64 * MIB, maxEventChars: 8 * MIB };

/** Thrown at the end of a stream without any event. */
export class NoEvents extends Error {
	override readonly name = "NoEvents";
	/** What came in their place. */
	readonly words: string;

	constructor(words: string) {
		super("no event received");
		this.words = words;
	}
}

/** Throws TooLarge, NoEvents when something else came in place of events, and what the body throws. */
export async function* eventsIn(
	body: AsyncIterable<Uint8Array>,
	{ maxBytes, maxEventChars }: StreamBounds = STREAM_BOUNDS,
): AsyncGenerator<ServerSentEvent> {
	const decoder = new TextDecoder(); // takes a BOM away
	const lines = new LineReader(maxEventChars);
	const events = new EventReader(maxEventChars);
	for await (const chunk of upTo(maxBytes, body)) {
		for (const line of lines.take(decoder.decode(chunk, { stream: true }))) {
			const event = events.take(line);
			if (event !== undefined) yield event;
		}
	}
	const last = events.take(lines.rest()) ?? events.take("");
	if (last !== undefined && jsonOf(last.data) !== undefined)
		yield last; // else the stream ended within it
	else if (!events.hasEvents && events.strange !== "") throw new NoEvents(events.strange);
}

/** The text of a body that is no stream of events. Throws TooLarge, and what the body throws. */
export async function wholeText(body: AsyncIterable<Uint8Array>): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of upTo(STREAM_BOUNDS.maxBytes, body)) chunks.push(chunk);
	return Buffer.concat(chunks).toString("utf8");
}

async function* upTo(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw new TooLarge(`the service's answer has more than ${formatBytes(maxBytes)}`);
		yield chunk;
	}
}

/** Splits text into lines. A line that has not ended is kept in pieces, which are joined once. */
class LineReader {
	private readonly maxChars: number;
	private pieces: string[] = [];
	private chars = 0;
	private endsInCr = false;

	constructor(maxChars: number) {
		this.maxChars = maxChars;
	}

	take(text: string): string[] {
		const isOtherHalf = this.endsInCr && text.startsWith("\n"); // of a CRLF
		if (text !== "") this.endsInCr = text.endsWith("\r");
		const [head = "", ...rest] = (isOtherHalf ? text.slice(1) : text).split(/\r\n|\r|\n/);
		this.keep(head);
		const open = rest.pop();
		if (open === undefined) return [];
		const lines = [this.rest(), ...rest];
		this.keep(open);
		return lines;
	}

	rest(): string {
		const line = this.pieces.join("");
		this.pieces = [];
		this.chars = 0;
		return line;
	}

	private keep(piece: string): void {
		this.chars += piece.length;
		if (this.chars > this.maxChars) throw eventTooLarge(this.maxChars);
		this.pieces.push(piece);
	}
}

const FIELDS = ["", "event", "data", "id", "retry"]; // a comment has an empty name
/** A line of data that begins while the one before closes an object belongs to no JSON with it: an empty line was left out. */
const ENDED = /\}\s*$/;
const BEGINS = /^\s*(?:\{|\[DONE\])/;

/** Puts lines together to events, each of which ends with an empty line. One without data is none. */
class EventReader {
	hasEvents = false;
	/** The lines that no stream of events has: a page, or a whole document. */
	strange = "";
	private readonly maxChars: number;
	private name: string | undefined;
	private data: string[] = [];
	private chars = 0;

	constructor(maxChars: number) {
		this.maxChars = maxChars;
	}

	take(line: string): ServerSentEvent | undefined {
		if (line === "") return this.end();
		const colon = line.indexOf(":");
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
		if (field === "event") this.name = value;
		if (!FIELDS.includes(field) && !this.hasEvents && this.strange.length < this.maxChars) this.strange += `${line}\n`;
		if (field !== "data") return undefined;
		const before = ENDED.test(this.data.at(-1) ?? "") && BEGINS.test(value) ? this.end() : undefined;
		this.data.push(value);
		this.chars += value.length + 1;
		if (this.chars > this.maxChars) throw eventTooLarge(this.maxChars);
		return before;
	}

	private end(): ServerSentEvent | undefined {
		this.hasEvents ||= this.data.length > 0;
		const event = this.data.length === 0 ? undefined : { name: this.name, data: this.data.join("\n") };
		this.name = undefined;
		this.data = [];
		this.chars = 0;
		return event;
	}
}

function eventTooLarge(maxChars: number): TooLarge {
	return new TooLarge(`an event of the service's answer has more than ${formatBytes(maxChars)}`);
}
