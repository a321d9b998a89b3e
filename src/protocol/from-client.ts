/** Who speaks to a supervisor, and what it says: an agent, or a watcher. */
import * as v from "valibot";
import { type FromAgent, FromAgentSchema } from "./agent-messages.ts";
import type { ParseMessage } from "./connection.ts";
import { type FromWatcher, FromWatcherSchema } from "./watcher-messages.ts";

export type FromClient =
	| { readonly by: "agent"; readonly message: FromAgent }
	| { readonly by: "watcher"; readonly message: FromWatcher };

/** For one connection. Its first message says whose it is, and an agent's is `join`; undefined for what it may not say. */
export function clientParser(): ParseMessage<FromClient> {
	let client: FromClient["by"] | undefined;
	return (value) => {
		const said = parse(value);
		if (said === undefined || (client !== undefined && said.by !== client)) return undefined;
		if (client === undefined && said.by === "agent" && said.message.say !== "join") return undefined;
		client = said.by;
		return said;
	};
}

function parse(value: object): FromClient | undefined {
	const agent = v.safeParse(FromAgentSchema, value);
	if (agent.success) return { by: "agent", message: agent.output };
	const watcher = v.safeParse(FromWatcherSchema, value);
	return watcher.success ? { by: "watcher", message: watcher.output } : undefined;
}
