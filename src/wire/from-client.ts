/** The messages that a supervisor receives: a client's hello, then what an agent or a watcher says. */
import * as v from "valibot";
import { isDeeper, MAX_LEVELS } from "../core/json-value.ts";
import { isObject } from "../core/schemas/values.ts";
import { FROM_AGENT, type FromAgent, FromAgentSchema } from "./agent-messages.ts";
import { type Hello, HelloSchema } from "./hello.ts";
import { FROM_WATCHER, type FromWatcher, FromWatcherSchema } from "./watcher-messages.ts";

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
	if (isDeeper(value, MAX_LEVELS)) return bad(`a message that is nested more than ${MAX_LEVELS} levels deep`);
	const by = BY_WORD.get(value.say);
	switch (by) {
		case undefined:
			return bad(`an unknown message: ${String(JSON.stringify(value.say)).slice(0, SHOWN_CHARS)}`);
		case "client": {
			const checked = v.safeParse(HelloSchema, value);
			return checked.success ? said({ by, message: checked.output }) : wrongShape(value.say, checked.issues);
		}
		case "agent": {
			const checked = v.safeParse(FromAgentSchema, value);
			return checked.success ? said({ by, message: checked.output }) : wrongShape(value.say, checked.issues);
		}
		case "watcher": {
			const checked = v.safeParse(FromWatcherSchema, value);
			return checked.success ? said({ by, message: checked.output }) : wrongShape(value.say, checked.issues);
		}
	}
}

function said(message: FromClient): Parsed {
	return { is: "message", said: message };
}

function wrongShape(word: unknown, [issue]: readonly v.BaseIssue<unknown>[]): Parsed {
	const path = issue === undefined ? null : v.getDotPath(issue);
	return bad(`"${word}" of the wrong shape${path === null ? "" : `: ${path.slice(0, SHOWN_CHARS)}`}`);
}

function bad(reason: string): Parsed {
	return { is: "bad", reason };
}
