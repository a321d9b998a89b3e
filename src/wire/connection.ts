/** One end of a connection over the run's unix socket: one JSON object a line, UTF-8. */
import { connect as connectSocket, type Socket } from "node:net";
import { LineSplitter } from "../text/line-splitter.ts";

export interface Connection<In, Out> {
	/** Does nothing once the other end has gone. */
	send(message: Out): void;
	/** A message as `encode` makes it. */
	sendLine(line: string): void;
	/**
	 * At most one listener of each kind. Nothing is read before `onMessage` is called, so nothing is lost. What the listener
	 * throws is a bug of this process, not of the other end: it is left to become an uncaught exception.
	 */
	onMessage(listener: (message: In) => void): void;
	/** The listener is called once, whichever end closed. */
	onClose(listener: () => void): void;
	/** Sends what is buffered, then closes. */
	close(): void;
}

/** Checks that a value is a message of the protocol; undefined when it is none, and the connection is closed. */
export type ParseMessage<In> = (value: object) => In | undefined;

export function wrapSocket<In extends object, Out extends object>(
	socket: Socket,
	parseMessage: ParseMessage<In>,
): Connection<In, Out> {
	let closeListener = () => {};
	let isClosed = false;
	const closed = () => {
		if (isClosed) return;
		isClosed = true;
		closeListener();
	};
	socket.on("error", () => {}); // "close" follows
	socket.on("close", closed);
	const write = lineWriter(socket);
	const sendLine = (line: string) => {
		if (!isClosed) write(line);
	};
	return {
		send: (message) => sendLine(encode(message)),
		sendLine,
		onMessage: (listener) => {
			const read = lineReader((line) => {
				const value = parseObject(line);
				const message = value === undefined ? undefined : parseMessage(value);
				if (message === undefined) socket.destroy();
				else if (!socket.destroyed) listener(message);
			});
			socket.on("data", (chunk: Buffer) => {
				if (!read(chunk)) socket.destroy();
			});
			socket.on("end", () => socket.end());
		},
		onClose: (listener) => {
			closeListener = listener;
			if (isClosed) queueMicrotask(listener);
		},
		close: () => socket.end(() => socket.destroy()),
	};
}

/** What is sent in one turn of the event loop goes out in one write, and wakes the other end once. */
export function lineWriter(socket: Socket): (line: string) => void {
	return (line) => {
		if (!socket.writable) return;
		if (socket.writableCorked === 0) {
			socket.cork();
			process.nextTick(() => socket.uncork());
		}
		socket.write(line);
	};
}

/** Rejects with the socket's error (`ENOENT`, `ECONNREFUSED`) when nobody listens there. */
export function connectTo<In extends object, Out extends object>(
	path: string,
	parseMessage: ParseMessage<In>,
): Promise<Connection<In, Out>> {
	return new Promise((resolve, reject) => {
		const socket = connectSocket(path);
		socket.once("error", reject);
		socket.once("connect", () => {
			socket.removeListener("error", reject);
			resolve(wrapSocket(socket, parseMessage));
		});
	});
}

/** The line as a JSON object; undefined when it is none. */
function parseObject(line: string): object | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "object" && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}

const MAX_LINE_BYTES = 400 * 1024 * 1024; // a JavaScript string holds 512 MiB

export function encode(message: object): string {
	return `${JSON.stringify(message)}\n`;
}

/** Gives each whole line to `onLine`. The reader returns false once a line is too long: it can be read no further. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer) => boolean {
	const splitter = new LineSplitter();
	return (chunk) => {
		for (const line of splitter.push(chunk)) onLine(line);
		return splitter.restBytes <= MAX_LINE_BYTES;
	};
}

/** The version of what goes over the run's socket: raised when a client of before would be misunderstood. */
export const WIRE_VERSION = 2;

const END = "extra connections";

export function tooManyConnections(agent: string, most: number): string {
	return `agent ${agent} has more than ${most} ${END}`;
}

export function isTooManyConnections(reason: string): boolean {
	return reason.endsWith(END);
}
