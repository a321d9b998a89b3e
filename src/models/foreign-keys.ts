/**
 * Keys in a file of another tool, which is read only when a person names it. Such files are JSON: the names of variables with
 * their keys, or services with theirs, `{ "openai": { "type": "api", "key": "…" } }`. A login of another tool is no key.
 */
import { jsonOf } from "./messages-api/service-words.ts";
import { isObject } from "./messages-api/valid-content.ts";
import type { UserHost } from "./provider/user-host.ts";
import { keyVariableOf, keyVariables } from "./providers.ts";

/** The names under which tools keep a key. */
const KEY_FIELDS = ["key", "apiKey", "api_key", "token"];

/** The keys by the variables that would have them. Undefined for a text that is no JSON object. */
export function foreignKeys(text: string, hosts: readonly UserHost[]): Record<string, string> | undefined {
	const json = jsonOf(text);
	if (!isObject(json)) return undefined;
	const known = keyVariables(hosts);
	const found = Object.entries(json).flatMap(([name, value]): [string, string][] => {
		const key = keyIn(value);
		const variable = known.includes(name) ? name : keyVariableOf(name.toLowerCase(), hosts);
		return key === undefined || variable === undefined ? [] : [[variable, key]];
	});
	return Object.fromEntries(found);
}

function keyIn(value: unknown): string | undefined {
	const found = typeof value === "string" ? value : KEY_FIELDS.map((field) => Object(value)[field]).find(isText);
	return isText(found) ? found : undefined;
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}
