/** A service with the protocol of OpenAI: one of the table, one of the user's configuration file, or one of both. */
import type { Credentials } from "../provider/provider.ts";
import type { HostFlags, Protocol, UserHost } from "../provider/user-host.ts";
import { KNOWN_HOSTS } from "./known-hosts.ts";

export interface Host {
	readonly name: string;
	readonly baseUrl: string;
	/** The variable, or the place in the configuration file, that the address is from. */
	readonly addressFrom: string;
	readonly keyVariables: readonly string[];
	readonly keyCommand?: string;
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
	effort: "reasoning_effort",
	toolChoice: true,
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
	const isBound = own?.baseUrl !== undefined && (own.keyCommand !== undefined || Boolean(own.keyVariables?.length));
	const variable = isBound ? undefined : known?.addressVariables.find((candidate) => credentials[candidate]);
	const given = variable === undefined ? own?.baseUrl : credentials[variable];
	const baseUrl = given ?? known?.baseUrl;
	if (baseUrl === undefined) return undefined;
	const { keyCommand, keyVariables = known?.keyVariables ?? [] } = own ?? {};
	const wantsKey = own?.keyVariables === undefined ? known?.needsKey === true : keyVariables.length > 0;
	return {
		name: hostName,
		baseUrl: wholeAddress(baseUrl, known?.baseUrl),
		addressFrom: variable ?? `providers.${hostName}.base_url`,
		keyVariables,
		...(keyCommand !== undefined && { keyCommand }),
		needsKey: wantsKey || keyCommand !== undefined,
		protocol: own?.protocol ?? known?.protocol ?? "chat",
		flags: { ...USUAL_FLAGS, ...known?.flags, ...own?.flags },
	};
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
	const end = address.replace(/\/+(?:(?:chat\/)?completions|responses)?\/*$/, "");
	const { pathname } = new URL(end);
	return pathname === "/" ? `${end}${new URL(known).pathname.replace(/\/$/, "")}` : end;
}
