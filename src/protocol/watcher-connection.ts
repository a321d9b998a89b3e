import * as v from "valibot";
import { type Connection, connectTo } from "./connection.ts";
import { type FromWatcher, type ToWatcher, ToWatcherSchema } from "./watcher-messages.ts";

export type WatcherConnection = Connection<ToWatcher, FromWatcher>;

/** A watcher's connection to the supervisor that listens on `socket`. Rejects as `connectTo`. */
export function connectAsWatcher(socket: string): Promise<WatcherConnection> {
	return connectTo<ToWatcher, FromWatcher>(socket, toWatcher);
}

/** Undefined for a value that is no message of a supervisor to a watcher. */
function toWatcher(value: object): ToWatcher | undefined {
	const message = v.safeParse(ToWatcherSchema, value);
	return message.success ? message.output : undefined;
}
