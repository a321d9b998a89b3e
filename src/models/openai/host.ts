/** A service with the protocol of OpenAI: one of the table, one of the user's configuration file, or one of both. */

import { defined } from "../../core/defined.ts";
import { AgentreeError, usageError } from "../../core/errors.ts";
import type { Credentials } from "../provider/provider.ts";
import { type HostFlags, headersWith, headerVariables, type Protocol, type UserHost } from "../provider/user-host.ts";
import type { Asked } from "../service/call-failure.ts";
import type { Proxied } from "../service/proxy.ts";
import type { Key } from "./keys.ts";
import { KNOWN_HOSTS, type KnownHost } from "./known-hosts.ts";

export interface Host {
	readonly name: string;
	readonly baseUrl: string;
	/** The variable, or the place in the configuration file, that the address is from. */
	readonly addressFrom: string;
	readonly keyVariables: readonly string[];
	readonly keyCommand?: string;
	/** Sent with each call. Where one has the key, this goes in no other. */
	readonly headers: Readonly<Record<string, string>>;
	readonly hasKeyInHeader: boolean;
	/** Variables of its headers that are not set. */
	readonly missing: readonly string[];
	/** Without a key there is no call. */
	readonly needsKey: boolean;
	readonly protocol: Protocol;
	readonly flags: HostFlags;
}

/** Of a service of which nothing is known. */
const USUAL_FLAGS: HostFlags = {
	maxTokens: "max_tokens",
	systemRole: "system",
	streamUsage: true,
	thinkingBack: "none",
	callSignatures: false,
	effort: "reasoning_effort",
	toolChoice: true,
	textAfterResults: true,
	shortCallIds: false,
	cutsPrompts: false,
	encryptedThinking: true,
	thinkingSummary: true,
};

/**
 * The service of a name such as `openai/gpt-5`; undefined when there is none. An address in a variable goes before one of the file, but
 * not where the file has a key beside it: that was given with the file's own.
 */
export function hostOf(name: string, userHosts: readonly UserHost[], credentials: Credentials = {}): Host | undefined {
	const hostName = name.slice(0, Math.max(0, name.indexOf("/")));
	const known = KNOWN_HOSTS.find((host) => host.name === hostName);
	const own = userHosts.find((host) => host.name === hostName);
	const isBound =
		own?.baseUrl !== undefined &&
		(own.keyCommand !== undefined || own.headers !== undefined || Boolean(own.keyVariables?.length));
	const variable = isBound ? undefined : known?.addressVariables.find((candidate) => credentials[candidate]);
	const given = variable === undefined ? own?.baseUrl : credentials[variable];
	const baseUrl = given ?? known?.baseUrl;
	if (baseUrl === undefined) return undefined;
	const { keyCommand, keyVariables = known?.keyVariables ?? [] } = own ?? {};
	const named = own === undefined ? [] : headerVariables(own);
	const wantsKey = own?.keyVariables === undefined ? known?.needsKey === true : keyVariables.length > 0;
	return {
		name: hostName,
		baseUrl: wholeAddress(baseUrl, known?.baseUrl),
		addressFrom: variable ?? `providers.${hostName}.base_url`,
		keyVariables,
		...(keyCommand !== undefined && { keyCommand }),
		headers: own === undefined ? {} : headersWith(own, credentials),
		hasKeyInHeader: named.some((variable) => keyVariables.includes(variable)),
		missing: named.filter((variable) => !credentials[variable]),
		needsKey: wantsKey || keyCommand !== undefined,
		protocol: own?.protocol ?? known?.protocol ?? "chat",
		flags: { ...USUAL_FLAGS, ...quirksOf(known ?? hostAt(baseUrl), name), ...own?.flags },
	};
}

function quirksOf(known: KnownHost | undefined, name: string): Partial<HostFlags> {
	const { flags, others } = known ?? {};
	return { ...flags, ...(others?.models.test(serviceName(name)) && others.flags) };
}

/** The known service at this address, which the user has given another name. */
function hostAt(baseUrl: string): KnownHost | undefined {
	const placeOf = (address: string) =>
		URL.canParse(address) ? new URL(address).host.replace("localhost", "127.0.0.1") : "";
	return KNOWN_HOSTS.find((known) => placeOf(known.baseUrl) === placeOf(baseUrl));
}

/** Throws AgentreeError for headers that no call can be made with, without repeating what they have. */
export function checkHeaders({ name, missing: [variable], headers }: Host): void {
	if (variable !== undefined)
		throw new AgentreeError("key_missing", `providers.${name}.headers names ${variable}, which is not set`);
	for (const [header, value] of Object.entries(headers))
		if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
			throw usageError(`providers.${name}.headers: ${header} has a character that is not allowed in a header`);
}

/** The services that may be reached: those of the configuration file, and the known ones. */
export function hostNames(userHosts: readonly UserHost[]): string[] {
	return [...new Set([...userHosts, ...KNOWN_HOSTS].map(({ name }) => name))];
}

/** The part of a name that the service itself knows. */
export function serviceName(name: string): string {
	return name.slice(name.indexOf("/") + 1);
}

/**
 * The address without an end that calls add themselves, with a scheme, and with the usual path where it has none: people write
 * `localhost:8000`, and the whole address of a call.
 */
function wholeAddress(written: string, known = "http://host/v1"): string {
	const address = /^[a-z][\w+.-]*:\/\//i.test(written) ? written : `http://${written}`;
	if (!URL.canParse(address)) return written;
	const [, place = address, query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? [];
	const end = place.replace(/\/+(?:(?:chat\/)?completions|responses)?\/*$/, "");
	const { pathname } = new URL(end);
	return `${end}${pathname === "/" ? new URL(known).pathname.replace(/\/$/, "") : ""}${query}`;
}

/** Where a service is asked, and with what: the same in calls and in lists of models. */

/** The key, where it is sent, and the headers that the configuration file gives the service. */
export function headersOf({ headers, hasKeyInHeader }: Host, key: Key | undefined): Record<string, string> {
	return { ...(key !== undefined && !hasKeyInHeader && { authorization: `Bearer ${key.value}` }), ...headers };
}

/** `key`: undefined when none is sent. `proxied`: the proxy that it goes through. */
export function endpointOf(
	host: Host,
	key: Key | undefined,
	{ proxied, now }: { proxied?: Proxied | undefined; now: number },
): Asked {
	const { origin, pathname } = new URL(host.baseUrl);
	return {
		address: origin,
		base: `${origin}${pathname}`,
		variable: key?.from ?? `the key_env of providers.${host.name}, since no key was sent`,
		addressFrom: host.addressFrom,
		now,
		...defined({ proxy: proxied }),
	};
}
