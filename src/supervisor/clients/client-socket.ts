/**
 * The supervisor's end of one connection: lines in, messages out, each within bounds. A client is read for a few milliseconds at a time, and for
 * a fifth of the supervisor's time at most. All lines that have begun share a memory, and what a client does not read is not stored forever.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { encode, lineWriter } from "../../wire/connection.ts";

const SLICE_MS = 4;
const NO_ROOM_MS = 20;
const MAX_UNREAD_BYTES = 80 * 1024 * 1024; // an answer may have 64 MiB, and a suspended agent does not read
const LAST_WORDS_MS = 2_000;

/** The client at the other end. */
interface LineReader {
	/** The longest line that may come now. */
	maxLineBytes(): number;
	receive(line: Buffer): void;
	/** Closes the connection because of what came over it, or was not read. */
	refuse(reason: string): void;
	/** Called once. */
	closed(): void;
}

export class ClientSocket {
	private readonly socket: Socket;
	private readonly memory: LineMemory;
	private readonly clock: Pick<Clock, "elapsed" | "after">;
	private readonly lines = new IncomingLines();
	private readonly credit: WorkCredit;
	private readonly write: (line: string) => void;
	private client: LineReader | undefined;
	private callOffWait = () => {};
	private isClosed = false;

	constructor(socket: Socket, memory: LineMemory, clock: Pick<Clock, "elapsed" | "after">) {
		this.socket = socket;
		this.memory = memory;
		this.clock = clock;
		this.credit = new WorkCredit(clock.elapsed());
		this.write = lineWriter(socket);
		socket.on("error", () => {}); // "close" follows
		socket.on("end", () => socket.end());
	}

	/** Nothing is read before. */
	readFor(client: LineReader): void {
		this.client = client;
		this.socket.on("close", () => {
			if (!this.isClosed) this.stopReading();
			client.closed();
		});
		this.socket.on("data", (chunk: Buffer) => {
			this.socket.pause();
			this.lines.push(chunk);
			this.read();
		});
	}

	send(message: object): void {
		if (this.isClosed) return;
		if (this.unsentBytes > MAX_UNREAD_BYTES) this.client?.refuse("it does not read what it is sent");
		else this.write(encode(message));
	}

	get unsentBytes(): number {
		return this.socket.writableLength;
	}

	/** Sends what is buffered, then closes; after a while also when the client does not take it. Nothing more is read. */
	close(): void {
		this.stopReading();
		this.socket.end(() => this.socket.destroy());
		const callOff = this.clock.after(LAST_WORDS_MS, () => this.socket.destroy());
		this.socket.once("close", callOff);
	}

	destroy(): void {
		this.stopReading();
		this.socket.destroy();
	}

	/** Its line takes too long, while others wait for memory. */
	tooSlow(): void {
		this.client?.refuse("a line that comes too slowly, while others wait for memory");
	}

	/** Hears lines for a few milliseconds. The next ones are heard after what else is due in the event loop, and once there is credit again. */
	private read(): void {
		const began = this.clock.elapsed();
		const stopped = this.readUntil(began + SLICE_MS);
		const waitMs = this.credit.spend(began, this.clock.elapsed());
		if (this.isClosed) return;
		const readOn = () => this.readOn(stopped);
		if (stopped === "no_room") this.callOffWait = this.clock.after(Math.max(waitMs, NO_ROOM_MS), readOn);
		else if (waitMs > 0) this.callOffWait = this.clock.after(waitMs, readOn);
		else if (stopped === "time_over") setImmediate(readOn);
		else readOn();
	}

	private readOn(stopped: "nothing" | "no_room" | "time_over"): void {
		if (this.isClosed) return;
		if (stopped === "nothing") this.socket.resume();
		else this.read();
	}

	/** `nothing`: all that came is heard. */
	private readUntil(until: number): "nothing" | "no_room" | "time_over" {
		const { client, memory, lines, clock } = this;
		while (!this.isClosed && client !== undefined) {
			const taken = lines.take(client.maxLineBytes(), (bytes) => memory.hold(this, bytes));
			if (taken.is === "nothing" || taken.is === "no_room") return taken.is;
			if (taken.is === "line") {
				client.receive(taken.line);
				memory.release(this);
			} else client.refuse("a line that is too long");
			if (clock.elapsed() >= until) return "time_over";
		}
		return "nothing";
	}

	private stopReading(): void {
		this.isClosed = true;
		this.callOffWait();
		this.memory.release(this);
		this.socket.removeAllListeners("data");
		this.socket.resume(); // what still comes is thrown away, so that the end of it is seen
	}
}

const SHARE = 0.2;
const MOST_MS = 1_000;

/**
 * How much of the supervisor's time one client may take: a second at once, and a fifth of it from then on. A client that has used that up is not
 * read until it has credit again, so a flood is held back in the sender, and nobody else waits for it.
 */
export class WorkCredit {
	private leftMs = MOST_MS;
	private at: number;

	constructor(now: number) {
		this.at = now;
	}

	/** Work was done for the client from `began` to `now`. Gives the milliseconds for which it has to wait. */
	spend(began: number, now: number): number {
		this.leftMs = Math.min(MOST_MS, this.leftMs + SHARE * (began - this.at)) - (now - began);
		this.at = now;
		return this.leftMs >= 0 ? 0 : -this.leftMs / SHARE;
	}
}

const FREE_BYTES = 64 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_HOLD_MS = 10_000; // an honest line is read in milliseconds

/** What holds memory for a line that has begun. */
interface LineHolder {
	tooSlow(): void;
}

/**
 * The memory for lines that have begun, over all clients. Short ones are free. The others have a bound in common; a client without room waits,
 * unread. The one that has held its room longest always gets more, so that one of them comes to an end, and one that takes too long is closed.
 */
export class LineMemory {
	private readonly elapsed: () => number;
	private readonly maxBytes: number;
	/** The oldest first. */
	private readonly holders = new Map<LineHolder, { readonly bytes: number; readonly since: number }>();
	/** A client had no room since the last `hurry`. */
	private isShort = false;

	constructor(elapsed: () => number, maxBytes = MAX_BYTES) {
		this.elapsed = elapsed;
		this.maxBytes = maxBytes;
	}

	/** Whether the client may store so many bytes in all. */
	hold(client: LineHolder, bytes: number): boolean {
		if (bytes <= FREE_BYTES) return true;
		const held = this.holders.get(client);
		const [oldest = client] = this.holders.keys();
		const sum = [...this.holders.values()].reduce((before, holder) => before + holder.bytes, 0);
		if (client !== oldest && sum - (held?.bytes ?? 0) + bytes > this.maxBytes) {
			this.isShort = true;
			return false;
		}
		this.holders.set(client, { bytes, since: held?.since ?? this.elapsed() });
		return true;
	}

	/** The client's line is over, or the client has gone. */
	release(client: LineHolder): void {
		this.holders.delete(client);
	}

	/** To be called every second or so. */
	hurry(): void {
		if (!this.isShort) return;
		this.isShort = false;
		const latest = this.elapsed() - MAX_HOLD_MS;
		for (const [client, { since }] of [...this.holders]) if (since < latest) client.tooSlow();
	}
}

const LINE_FEED = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 4_096;

type Taken = { readonly is: "line"; readonly line: Buffer } | { readonly is: "nothing" | "no_room" | "too_long" };

/**
 * Lines out of the bytes of one client, taken one at a time, so that its reader may pause between two. What has begun of a line is stored in one
 * buffer that grows by doubling: a client that sends single bytes costs no more than one that does not.
 */
export class IncomingLines {
	private begun = NOTHING;
	private begunBytes = 0;
	private chunk = NOTHING;

	/** Only once all of the chunk before is taken. */
	push(chunk: Buffer): void {
		this.chunk = chunk;
	}

	/** `hasRoom`: whether so many bytes may be stored for a line that has begun. A line is valid until the next call. */
	take(maxBytes: number, hasRoom: (bytes: number) => boolean): Taken {
		const end = this.chunk.indexOf(LINE_FEED);
		const piece = end < 0 ? this.chunk : this.chunk.subarray(0, end);
		if (this.begunBytes + piece.length > maxBytes) return { is: "too_long" };
		const isWholeInChunk = end >= 0 && this.begunBytes === 0;
		if (!isWholeInChunk && !this.store(piece, hasRoom)) return { is: "no_room" };
		this.chunk = end < 0 ? NOTHING : this.chunk.subarray(end + 1);
		if (end < 0) return { is: "nothing" };
		return { is: "line", line: isWholeInChunk ? piece : this.wholeLine() };
	}

	private store(piece: Buffer, hasRoom: (bytes: number) => boolean): boolean {
		const needed = this.begunBytes + piece.length;
		if (needed > this.begun.length) {
			const bytes = Math.max(LEAST_BYTES, needed, 2 * this.begun.length);
			if (!hasRoom(bytes)) return false;
			const larger = Buffer.allocUnsafe(bytes);
			this.begun.copy(larger, 0, 0, this.begunBytes);
			this.begun = larger;
		}
		piece.copy(this.begun, this.begunBytes);
		this.begunBytes = needed;
		return true;
	}

	private wholeLine(): Buffer {
		const line = this.begun.subarray(0, this.begunBytes);
		this.begun = NOTHING;
		this.begunBytes = 0;
		return line;
	}
}
