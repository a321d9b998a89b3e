/** Keeps head and tail of an output of any size in bounded memory, and makes the text for the model from them. Pure. */

import { type CommandEnd, describeCommandEnd } from "../../core/bash-call.ts";
import { LOG_CUT } from "../../core/limits/shortage.ts";
import { MAX_TIMEOUT_MS } from "../../core/model/bash-tool.ts";
import { withoutMarks } from "../../core/model/message-marks.ts";
import { firstChars, lastChars } from "../../text/ends.ts";
import { plainText, Rendering } from "../../text/safe/strip-terminal.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";

export interface KeptOutput {
	/** The first bytes of what a terminal would show; all of it when `tail` is undefined. */
	readonly head: Uint8Array;
	readonly tail: Uint8Array | undefined;
	/** What was printed, with all that a terminal would replace or hide. */
	readonly totalBytes: number;
	/** The number of line ends in it; undefined when there was too much output to count. */
	readonly lines: number | undefined;
}

interface OutputKeeper {
	/** Copies what it keeps, so the chunk may be reused. */
	add(chunk: Uint8Array): void;
	/** Nothing that is added later changes what it has given. */
	kept(): KeptOutput;
}

const KEPT_BYTES = 256 * 1024; // of each end; more than the text needs, since a character may have four bytes
const FIRST_BYTES = 4096;
const MAX_COUNTED_BYTES = 64 * 1024 * 1024; // above this, to count line ends would halve the throughput

/** `keptBytes`: the most that is kept of each end. */
export function createOutputKeeper(keptBytes = KEPT_BYTES): OutputKeeper {
	let head = new Uint8Array(0);
	let headBytes = 0;
	let ring: Uint8Array | undefined;
	let storedBytes = 0;
	let totalBytes = 0;
	let lines = 0;
	const addToHead = (chunk: Uint8Array) => {
		if (headBytes + chunk.length > head.length) {
			const larger = new Uint8Array(Math.min(keptBytes, Math.max(FIRST_BYTES, 2 * (headBytes + chunk.length))));
			larger.set(head.subarray(0, headBytes));
			head = larger;
		}
		head.set(chunk, headBytes);
		headBytes += chunk.length;
	};
	const store = (bytes: Uint8Array) => {
		const room = keptBytes - headBytes;
		if (room > 0) addToHead(bytes.subarray(0, room));
		const rest = bytes.subarray(Math.min(room, bytes.length));
		storedBytes += bytes.length;
		if (rest.length === 0) return;
		ring ??= new Uint8Array(keptBytes);
		addToRing(ring, storedBytes - headBytes, rest);
	};
	const rendered = new RenderedOutput(store);
	return {
		add: (chunk) => {
			if (totalBytes < MAX_COUNTED_BYTES) lines += countLines(chunk);
			totalBytes += chunk.length;
			rendered.add(chunk);
		},
		kept: () => {
			rendered.end();
			return {
				...joinEnds(head.subarray(0, headBytes), ring, storedBytes - headBytes),
				totalBytes,
				lines: totalBytes < MAX_COUNTED_BYTES ? lines : undefined,
			};
		},
	};
}

/** Byte n of those after the head lies at n modulo the ring's size. `end`: how many there were, this chunk included. */
function addToRing(ring: Uint8Array, end: number, chunk: Uint8Array): void {
	const last = chunk.subarray(Math.max(0, chunk.length - ring.length));
	const at = (end - last.length) % ring.length;
	const first = last.subarray(0, ring.length - at);
	ring.set(first, at);
	ring.set(last.subarray(first.length), 0);
}

function joinEnds(head: Uint8Array, ring: Uint8Array | undefined, wentBy: number): Pick<KeptOutput, "head" | "tail"> {
	if (ring === undefined) return { head: head.slice(), tail: undefined };
	if (wentBy <= ring.length) return { head: Buffer.concat([head, ring.subarray(0, wentBy)]), tail: undefined };
	const at = wentBy % ring.length;
	return { head: head.slice(), tail: Buffer.concat([ring.subarray(at), ring.subarray(0, at)]) };
}

function countLines(chunk: Uint8Array): number {
	let lines = 0;
	for (let at = 0; at < chunk.length; at++) if (chunk[at] === 0x0a) lines++;
	return lines;
}

export interface LeftRunning {
	readonly pid: number;
	readonly name: string;
}

export interface ResultFacts {
	readonly kept: KeptOutput;
	readonly end: CommandEnd;
	readonly leftRunning: readonly LeftRunning[];
	/** The command that ends what is left running, where no later one can signal it, whatever its pid is. */
	readonly endsLeft?: string | undefined;
	/** Hosts that the proxy refused. */
	readonly refusedHosts?: readonly string[];
	/** The file with all of the output, or its first `maxLogBytes`; undefined when it could not be written. */
	readonly log: string | undefined;
	/** Why the file ends before the output does, if not by `maxLogBytes`. */
	readonly logCut?: string | undefined;
	readonly maxLogBytes: number;
	readonly maxChars: number;
	/** What the sandbox says to the output, in a line. */
	readonly explained?: string | undefined;
}

/** What was printed, then one line for each fact that the model must know. Never longer than `maxChars`, never empty. */
export function resultText(facts: ResultFacts): string {
	const notes = notesOf(facts)
		.join("\n")
		.slice(0, Math.floor(facts.maxChars / 4));
	const room = facts.maxChars - (notes === "" ? 0 : notes.length + 1);
	const body = cutToFit(facts, room);
	if (notes === "" || body === "") return body + notes;
	return `${body}${body.endsWith("\n") ? "" : "\n"}${notes}`;
}

/** How many processes `[left running: 311 (sleep)]` names at most. */
const MAX_NAMED = 20;

function notesOf(facts: ResultFacts): string[] {
	const { end, leftRunning, refusedHosts = [], logCut, explained } = facts;
	const notes: string[] = [];
	if (end.by !== "exit" || end.code !== 0) notes.push(`[${describeCommandEnd(end)}]`);
	if (end.by === "timeout") notes.push(`[${forLonger(end.afterMs)}]`);
	if (refusedHosts.length > 0)
		notes.push(`[blocked by the sandbox: ${refusedHosts.join(", ")}; a person can allow a host with --allow-host]`);
	if (leftRunning.length > 0) notes.push(leftNote(facts));
	if (explained !== undefined) notes.push(`[${inOneLine(explained)}]`);
	if (logCut !== undefined) notes.push(`${LOG_CUT}${logCut}]`);
	return notes;
}

function forLonger(afterMs: number): string {
	const isMost = afterMs >= MAX_TIMEOUT_MS;
	const more = isMost ? "this is the maximum" : `for more time, set "timeout" up to ${MAX_TIMEOUT_MS / 1000}`;
	return `${more}; run a server${isMost ? ", or anything longer," : ""} in the background: ./server > /tmp/log 2>&1 &`;
}

function leftNote({ leftRunning, endsLeft, log }: ResultFacts): string {
	const isHidden = endsLeft !== undefined;
	const nameOf = ({ pid, name }: LeftRunning) => (isHidden ? inOneLine(name) : `${pid} (${inOneLine(name)})`);
	const names = leftRunning.slice(0, MAX_NAMED).map(nameOf);
	const more = leftRunning.length > MAX_NAMED ? ` and ${leftRunning.length - MAX_NAMED} more` : "";
	const how = isHidden ? `; no other command can signal it; to end it: ${endsLeft}` : "";
	const where = log === undefined ? "" : `; their further output goes to ${log}`;
	return `[left running: ${names.join(", ")}${more}${how}${where}]`;
}

/** What was printed, as far as it was kept. */
export function keptText({ head, tail }: KeptOutput): string {
	return (
		plainText(decodeHead(head, tail !== undefined)) + (tail === undefined ? "" : `\n${plainText(decodeTail(tail))}`)
	);
}

function cutToFit(facts: ResultFacts, room: number): string {
	const { head, tail, totalBytes } = facts.kept;
	const headText = withoutMarks(plainText(decodeHead(head, tail !== undefined)));
	if (tail === undefined && headText.length <= room) {
		if (headText.trim() !== "") return headText;
		if (totalBytes > 0) return "(nothing but white space)";
		return facts.end.by === "not_started" ? "" : "(no output)";
	}
	const marker = markerOf(facts);
	const forText = Math.max(0, room - marker.length);
	const forHead = Math.floor(forText * 0.6);
	const tailText = tail === undefined ? headText : withoutMarks(plainText(decodeTail(tail)));
	return `${firstChars(headText, forHead)}${marker}${lastChars(tailText, forText - forHead)}`;
}

function markerOf({ kept, log, logCut, maxLogBytes }: ResultFacts): string {
	const counted = kept.lines === undefined ? "" : ` in ${grouped(kept.lines)} lines`;
	const part = kept.totalBytes > maxLogBytes ? `the first ${grouped(maxLogBytes)} bytes are` : "the whole is";
	if (log !== undefined && logCut !== undefined)
		return `\n[... the middle is left out: ${grouped(kept.totalBytes)} bytes${counted} in all; ${log} holds the beginning ...]\n`;
	const where = log === undefined ? "no file holds the rest" : `${part} in ${log}`;
	return `\n[... the middle is left out: ${grouped(kept.totalBytes)} bytes${counted} in all; ${where} ...]\n`;
}

/** A character that the cut splits is left out. */
function decodeHead(bytes: Uint8Array, isCut: boolean): string {
	return new TextDecoder().decode(bytes, { stream: isCut });
}

function decodeTail(bytes: Uint8Array): string {
	let from = 0;
	while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++; // the rest of a character that began before
	return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from));
}

function grouped(count: number): string {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Output as a terminal would leave it, on its way to the keeper, so that a progress bar takes the room of one line. What only
 * prints passes as it is; but its end is held back, since a cursor move may still change it. Memory is bounded.
 */

const [BACKSPACE, CARRIAGE_RETURN, ESCAPE] = [0x08, 0x0d, 0x1b];

export class RenderedOutput {
	private readonly take: (bytes: Uint8Array) => void;
	private readonly held: HeldEnd;
	private rendering: Rendering | undefined;
	private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	private isInCharacter = false;

	/** `take` gets what can no longer change, and copies what it keeps. */
	constructor(take: (bytes: Uint8Array) => void) {
		this.take = take;
		this.held = new HeldEnd(take);
	}

	/** Copies what it holds, so the chunk may be reused. */
	add(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		const mayMove = [ESCAPE, CARRIAGE_RETURN, BACKSPACE].some((byte) => chunk.includes(byte));
		if (!mayMove && this.rendering?.isAtEnd === true && !this.isInCharacter) this.stopRendering();
		if (!mayMove && this.rendering === undefined) this.held.add(chunk);
		else this.render(chunk);
	}

	/** Gives the rest. What is added later begins a new screen. */
	end(): void {
		this.stopRendering();
		this.take(this.held.take());
	}

	private render(chunk: Uint8Array): void {
		if (this.rendering === undefined) {
			this.rendering = new Rendering((text) => this.take(Buffer.from(text)));
			this.rendering.write(this.decoder.decode(this.held.take(), { stream: true }));
		}
		this.rendering.write(this.decoder.decode(chunk, { stream: true }));
		this.isInCharacter = (chunk.at(-1) ?? 0) >= 0x80;
	}

	/** What is on the screen may still be changed, so it is held as other output is. */
	private stopRendering(): void {
		const { rendering } = this;
		if (rendering === undefined) return;
		rendering.write(this.decoder.decode());
		this.rendering = undefined;
		rendering.end((text) => this.held.add(Buffer.from(text)));
	}
}

/** The end of a stream of bytes, held back in a buffer that is used again, so that gigabytes leave no garbage. */

const HELD_BYTES = 16 * 1024;
const FIRST_HELD_BYTES = 1024;

class HeldEnd {
	private readonly give: (bytes: Uint8Array) => void;
	private buffer = new Uint8Array(0);
	private size = 0;

	/** `give` gets what is no longer held, and copies what it keeps. */
	constructor(give: (bytes: Uint8Array) => void) {
		this.give = give;
	}

	add(bytes: Uint8Array): void {
		if (this.size + bytes.length > 2 * HELD_BYTES) this.giveAllBut(Math.max(0, HELD_BYTES - bytes.length));
		const cut = characterStart(bytes, Math.max(0, bytes.length - HELD_BYTES));
		if (cut > 0) this.give(bytes.subarray(0, cut));
		this.append(bytes.subarray(cut));
	}

	/** What is held, which is then forgotten; valid until the next `add`. */
	take(): Uint8Array {
		const held = this.buffer.subarray(0, this.size);
		this.size = 0;
		return held;
	}

	private giveAllBut(rest: number): void {
		const held = this.buffer.subarray(0, this.size);
		const cut = characterStart(held, Math.max(0, this.size - rest));
		this.give(held.subarray(0, cut));
		this.buffer.copyWithin(0, cut, this.size);
		this.size -= cut;
	}

	private append(bytes: Uint8Array): void {
		const needed = this.size + bytes.length;
		if (needed > this.buffer.length) {
			const larger = new Uint8Array(Math.max(FIRST_HELD_BYTES, Math.min(2 * needed, 2 * HELD_BYTES)));
			larger.set(this.buffer.subarray(0, this.size));
			this.buffer = larger;
		}
		this.buffer.set(bytes, this.size);
		this.size = needed;
	}
}

/** `at`, or a place up to three bytes behind it, so that no character is parted. */
function characterStart(bytes: Uint8Array, at: number): number {
	if (at === 0) return 0;
	let start = at;
	while (start < at + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
	return Math.min(start, bytes.length);
}
