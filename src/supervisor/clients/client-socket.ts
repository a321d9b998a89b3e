/**
 * The supervisor's end of one connection. It reads a line at a time, for as long as its client has credit, into a bounded
 * memory; and it writes to a client only while that reads.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { lineWriter } from "../../protocol/connection.ts";
import { encode } from "../../protocol/framing.ts";
import { IncomingLines } from "./incoming-lines.ts";
import type { LineHolder, LineMemory } from "./line-memory.ts";
import type { TurnQueue, TurnTaker } from "./turn-queue.ts";
import { WorkCredit } from "./work-credit.ts";

const SLICE_MS = 4;
const MAX_UNREAD_BYTES = 80 * 1024 * 1024; // an answer may have 64 MiB, and a suspended agent does not read
const LAST_WORDS_MS = 2_000;

export interface ClientSocketDeps {
	readonly turns: TurnQueue;
	readonly memory: LineMemory;
	readonly clock: Pick<Clock, "elapsed" | "after">;
}

export interface ClientSocketListener {
	/** The longest line that may come now. */
	maxLineBytes(): number;
	onLine(line: Buffer): void;
	/** What is received, or not taken, cannot be put up with. */
	onBad(reason: string): void;
	/** Called once. */
	onClose(): void;
}

export class ClientSocket implements TurnTaker, LineHolder {
	private readonly socket: Socket;
	private readonly deps: ClientSocketDeps;
	private readonly listener: ClientSocketListener;
	private readonly lines = new IncomingLines();
	private readonly credit: WorkCredit;
	private readonly write: (line: string) => void;
	private callOffWait = () => {};
	private isClosed = false;

	constructor(socket: Socket, deps: ClientSocketDeps, listener: ClientSocketListener) {
		this.socket = socket;
		this.deps = deps;
		this.listener = listener;
		this.credit = new WorkCredit(deps.clock.elapsed());
		this.write = lineWriter(socket);
		socket.on("error", () => {}); // "close" follows
		socket.on("close", () => this.closed());
		socket.on("end", () => socket.end());
		socket.on("data", (chunk: Buffer) => {
			socket.pause();
			this.lines.push(chunk);
			deps.turns.add(this);
		});
	}

	send(message: object): void {
		if (this.isClosed) return;
		if (this.unsentBytes > MAX_UNREAD_BYTES) this.listener.onBad("it does not read what it is sent");
		else this.write(encode(message));
	}

	get unsentBytes(): number {
		return this.socket.writableLength;
	}

	/** Sends what is buffered, then closes; after a while also when the client does not take it. Nothing more is read. */
	close(): void {
		this.stopReading();
		this.socket.end(() => this.socket.destroy());
		const callOff = this.deps.clock.after(LAST_WORDS_MS, () => this.socket.destroy());
		this.socket.once("close", callOff);
	}

	destroy(): void {
		this.stopReading();
		this.socket.destroy();
	}

	tooSlow(): void {
		this.listener.onBad("a line that comes too slowly, while others wait for memory");
	}

	takeTurn(): boolean {
		const { elapsed, after } = this.deps.clock;
		const began = elapsed();
		const isMore = this.readUntil(began + SLICE_MS);
		const waitMs = this.credit.spend(began, elapsed());
		if (this.isClosed || isMore === "no_room") return false;
		if (waitMs > 0) this.callOffWait = after(waitMs, () => this.readOn(isMore));
		else if (!isMore) this.socket.resume();
		return waitMs === 0 && isMore;
	}

	private readOn(isMore: boolean): void {
		if (isMore) this.deps.turns.add(this);
		else this.socket.resume();
	}

	/** True when there is more of what has come. */
	private readUntil(until: number): boolean | "no_room" {
		const { memory, turns, clock } = this.deps;
		const hasRoom = (bytes: number) => memory.hold(this, bytes, () => turns.add(this));
		while (!this.isClosed) {
			const taken = this.lines.take(this.listener.maxLineBytes(), hasRoom);
			if (taken.is === "nothing") return false;
			if (taken.is === "no_room") return "no_room";
			if (taken.is === "too_long") this.listener.onBad("a line that is too long");
			else {
				this.listener.onLine(taken.line);
				memory.release(this);
			}
			if (clock.elapsed() >= until) return true;
		}
		return false;
	}

	private stopReading(): void {
		this.isClosed = true;
		this.callOffWait();
		this.deps.turns.remove(this);
		this.deps.memory.release(this);
		this.socket.removeAllListeners("data");
		this.socket.resume(); // what still comes is thrown away, so that the end of it is seen
	}

	private closed(): void {
		if (!this.isClosed) this.stopReading();
		this.listener.onClose();
	}
}
