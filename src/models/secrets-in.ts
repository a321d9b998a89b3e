/** What of an environment nobody may see: the keys of providers, and the passwords in addresses of services and proxies. */

import { jsonOf } from "./protocol/service-words.ts";
import { isObject } from "./protocol/valid-content.ts";
import type { UserHost } from "./provider/user-host.ts";
import { keyVariableOf, keyVariables, PROVIDERS } from "./providers.ts";

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/** `env`: an environment, or credentials. `hosts`: the services of the configuration file. */
export function secretsIn(
	env: Readonly<Record<string, string | undefined>>,
	hosts: readonly UserHost[] = [],
): string[] {
	const variables = PROVIDERS.map((provider) => provider.variables);
	const values = (names: readonly string[]) => names.flatMap((name) => env[name] || []);
	const keys = values(keyVariables(hosts));
	const headers = variables.flatMap(({ others }) => values(others).flatMap(headerSecrets));
	const addresses = variables.flatMap(({ addresses }) => values(addresses));
	const proxies = values([...PROXIES, ...PROXIES.map((name) => name.toLowerCase())]);
	const written = hosts.flatMap(({ headers: own = {}, baseUrl = "" }) => [
		...Object.entries(own).flatMap(([name, value]) => (value.includes("$") ? [] : headerSecrets(`${name}:${value}`))),
		...querySecrets(baseUrl),
	]);
	return [
		...[...keys, ...headers, ...written, ...addresses.flatMap(querySecrets)],
		...[...addresses, ...proxies].flatMap(passwordSecrets),
	];
}

/** Names of headers that prove something. The values of others, such as a project's name, may stand in paths of a record. */
const PROVES = /auth|key|token|secret|password|cookie|signature/i;

/** The values of `Name: value` lines that are secret, of `Bearer KEY` the key, too. */
function headerSecrets(text: string): string[] {
	return text.split("\n").flatMap((line) => {
		const colon = line.indexOf(":");
		if (!PROVES.test(line.slice(0, colon))) return [];
		const value = line.slice(colon + 1).trim();
		return [value, ...(/^\S+\s+(\S+)$/.exec(value)?.slice(1) ?? [])];
	});
}

/** What proves something in the query of an address. */
function querySecrets(address: string): string[] {
	const query = new URLSearchParams(address.replace(/^[^?]*\??/s, ""));
	return [...query].flatMap(([name, value]) => (PROVES.test(name) ? [value] : []));
}

/** The password of an address, as it is written there, decoded, and as a proxy gets it with the name. */
function passwordSecrets(address: string): string[] {
	const [, name = "", password] = /^(?:[a-z][\w+.-]*:\/\/)?([^/?#@:]*):([^/?#]*)@/i.exec(address) ?? [];
	if (password === undefined) return [];
	const [plainName, plain] = [decoded(name), decoded(password)];
	return [`${name}:${password}`, password, plain, Buffer.from(`${plainName}:${plain}`).toString("base64")];
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Keys in a file of another tool, which is read only when a person names it. Such files are JSON: the names of variables with
 * their keys, or services with theirs, `{ "openai": { "type": "api", "key": "…" } }`. A login of another tool is no key.
 */

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
