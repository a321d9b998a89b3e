/** The messages that a supervisor receives, from an agent or from a watcher. */
import * as v from "valibot";
import { isDeeper, MAX_LEVELS } from "../core/nesting.ts";
import { type FromAgent, FromAgentSchema } from "./agent-messages.ts";
import type { ParseMessage } from "./connection.ts";
import { type FromWatcher, FromWatcherSchema } from "./watcher-messages.ts";

export type FromClient =
	| { readonly by: "agent"; readonly message: FromAgent }
	| { readonly by: "watcher"; readonly message: FromWatcher };

/**
 * A parser for one connection. The first message tells the client's role, and an agent's first message is `join`. Undefined
 * for a message that this client may not send.
 */
export function clientParser(): ParseMessage<FromClient> {
	let client: FromClient["by"] | undefined;
	return (value) => {
		const received = parse(value);
		if (received === undefined || (client !== undefined && received.by !== client)) return undefined;
		if (client === undefined && received.by === "agent" && received.message.say !== "join") return undefined;
		client = received.by;
		return received;
	};
}

function parse(value: object): FromClient | undefined {
	if (isDeeper(value, MAX_LEVELS)) return undefined;
	const agent = v.safeParse(FromAgentSchema, value);
	if (agent.success) return { by: "agent", message: agent.output };
	const watcher = v.safeParse(FromWatcherSchema, value);
	return watcher.success ? { by: "watcher", message: watcher.output } : undefined;
}
