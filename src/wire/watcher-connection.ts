/** A watcher's end of the connection, which checks all that it hears. */
import * as v from "valibot";
import type { Hello } from "./from-client.ts";
import { connectAsPerson, type Heard, type OnWelcome, type WatcherConnection } from "./person-connection.ts";
import { ToWatcherSchema } from "./watcher-messages.ts";

export type { OnWelcome, WatcherConnection } from "./person-connection.ts";

/** As `connectAsPerson`. */
export function connectAsWatcher(
	socket: string,
	self: Pick<Hello, "pid" | "pidNamespace"> = { pid: process.pid },
	onWelcome: OnWelcome = () => {},
): Promise<WatcherConnection> {
	return connectAsPerson(socket, { self, onWelcome, parse: toWatcher });
}

function toWatcher(value: object): Heard | undefined {
	const message = v.safeParse(ToWatcherSchema, value);
	return message.success ? message.output : undefined;
}
