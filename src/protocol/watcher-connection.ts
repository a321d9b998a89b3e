import * as v from "valibot";
import { type Connection, connectTo } from "./connection.ts";
import { type FromWatcher, type ToWatcher, ToWatcherSchema } from "./watcher-messages.ts";

export type WatcherConnection = Connection<ToWatcher, FromWatcher>;

/** A watcher's connection to the supervisor that listens on `socket`. Rejects as `connectTo`. */
export function connectAsWatcher(socket: string): Promise<WatcherConnection> {
	return connectTo<ToWatcher, FromWatcher>(socket, toWatcher);
}

/** The value as a message to a watcher; undefined when it is none. */
function toWatcher(value: object): ToWatcher | undefined {
	const message = v.safeParse(ToWatcherSchema, value);
	return message.success ? message.output : undefined;
}
