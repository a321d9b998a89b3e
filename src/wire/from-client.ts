/**
 * The messages that a supervisor receives: a client's hello, then what an agent or a watcher says. An agent sends its join in the same write as
 * its hello, and waits for no answer between them. A person is asked for a proof (supervisor/clients/person-key.ts). Roles are proven, never claimed.
 */
import * as v from "valibot";
import { isObject, number, optional, pid, text } from "../core/schemas/values.ts";
import { FROM_AGENT, type FromAgent, FromAgentSchema } from "./agent-messages.ts";
import { FROM_WATCHER, type FromWatcher, FromWatcherSchema } from "./watcher-messages.ts";

/** All that a supervisor of any version must understand of a client of any version. */
const GreetingSchema = v.object({ say: v.literal("hello"), version: number });

const HelloSchema = v.object({
	...GreetingSchema.entries,
	/** `person`: whoever does not join; the supervisor finds out whether it is one. */
	role: v.picklist(["agent", "person"]),
	/** The client's own process. */
	pid,
	/** The pid namespace in which `pid` is counted; absent: that of the supervisor. */
	pidNamespace: optional(v.nullable(text)),
});
export type Hello = v.InferOutput<typeof HelloSchema>;

/** The version that a client speaks, which may be another one's; undefined for what is no hello. */
export function versionOf(value: unknown): number | undefined {
	const greeting = v.safeParse(GreetingSchema, value);
	return greeting.success ? greeting.output.version : undefined;
}

export type FromClient =
	| { readonly by: "client"; readonly message: Hello }
	| { readonly by: "agent"; readonly message: FromAgent }
	| { readonly by: "watcher"; readonly message: FromWatcher };

type Parsed = { readonly is: "message"; readonly said: FromClient } | { readonly is: "bad"; readonly reason: string };

const SHOWN_CHARS = 40;
const BY_WORD = new Map<unknown, FromClient["by"]>([
	["hello", "client"],
	...FROM_AGENT.map(({ entries }) => [entries.say.literal, "agent"] as const),
	...FROM_WATCHER.map(({ entries }) => [entries.say.literal, "watcher"] as const),
]);

/** `reason`: what is wrong with the value, in a few words that hold little of it. */
export function parseFromClient(value: unknown): Parsed {
	if (!isObject(value)) return bad("a message that is not an object");
	const by = BY_WORD.get(value.say);
	switch (by) {
		case undefined:
			return bad(`an unknown message: ${String(JSON.stringify(value.say)).slice(0, SHOWN_CHARS)}`);
		case "client":
			return checked(by, HelloSchema, value);
		case "agent":
			return checked(by, FromAgentSchema, value);
		case "watcher":
			return checked(by, FromWatcherSchema, value);
	}
}

function checked<By extends string, S extends v.GenericSchema>(by: By, schema: S, value: Record<string, unknown>) {
	const parsed = v.safeParse(schema, value);
	if (parsed.success) return { is: "message" as const, said: { by, message: parsed.output } };
	const [issue] = parsed.issues;
	const path = issue && v.getDotPath(issue);
	return bad(`"${value.say}" of the wrong shape${path ? `: ${path.slice(0, SHOWN_CHARS)}` : ""}`);
}

function bad(reason: string) {
	return { is: "bad" as const, reason };
}
