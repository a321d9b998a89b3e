/**
 * The way of a call: straight to the address, or through the proxy that the environment names, as curl and Node take it.
 * `https_proxy` is for https addresses and `http_proxy` for http ones, `all_proxy` for both where the first is not set; the name in lower case
 * goes before that in upper case, and an empty variable counts as not set. `no_proxy` lists what is reached without one:
 * hosts, each with all below it, `host:port`, addresses, networks (`10.0.0.0/8`), or `*` for all. This machine is no
 * exception: `localhost` has to be listed, too.
 */
import { BlockList, isIP } from "node:net";
import { usageError } from "../../core/errors.ts";
import type { Fetch } from "./bounded-fetch.ts";

export interface HttpProxy {
	/** With the name and the password that it wants, which are shown to nobody. */
	readonly url: string;
	/** Without them: `http://proxy.example:3128`. */
	readonly shown: string;
	/** The variable that names it. */
	readonly variable: string;
}

export type Route =
	| { readonly is: "direct" /** The variable that excepts the address from its proxy. */; readonly exceptedBy?: string }
	| { readonly is: "proxied"; readonly proxy: HttpProxy };

type Environment = Readonly<Record<string, string | undefined>>;

/** The way to an http or https address. Throws AgentreeError("usage") for a proxy that cannot be used. */
export function routeTo(address: string, env: Environment): Route {
	const url = new URL(address);
	const variable =
		setVariable(url.protocol === "https:" ? "https_proxy" : "http_proxy", env) ?? setVariable("all_proxy", env);
	if (variable === undefined) return { is: "direct" };
	const exceptions = setVariable("no_proxy", env);
	if (exceptions !== undefined && isExcepted(url, env[exceptions] ?? ""))
		return { is: "direct", exceptedBy: exceptions };
	return { is: "proxied", proxy: proxyAt(env[variable]?.trim() ?? "", variable) };
}

/** For the end of a sentence: ` through the proxy http://proxy.example:3128 (HTTPS_PROXY)`; empty without one. */
export function throughProxy(proxy: HttpProxy | undefined): string {
	return proxy === undefined ? "" : ` through the proxy ${proxy.shown} (${proxy.variable})`;
}

/** True for an address of this machine, at which a proxy elsewhere would look for the service on itself. */
export function isLoopback(address: string): boolean {
	const { hostname } = new URL(address);
	return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127\./.test(hostname);
}

function setVariable(name: string, env: Environment): string | undefined {
	return [name, name.toUpperCase()].find((spelling) => env[spelling]?.trim());
}

function proxyAt(written: string, variable: string): HttpProxy {
	const address = /^[a-z][\w+.-]*:\/\//i.test(written) ? written : `http://${written}`;
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "" || !isDecodable(url))
		throw usageError(
			`${variable} is not the http or https address of a proxy${schemeOf(url)}: correct it, or add the service's host to NO_PROXY`,
		);
	return { url: url.href, shown: url.origin, variable };
}

function schemeOf(url: URL | undefined): string {
	return url === undefined || /^https?:$/.test(url.protocol) ? "" : `, but one of ${url.protocol.slice(0, -1)}`;
}

/** A `%` in a password has to be written `%25`. */
function isDecodable({ username, password }: URL): boolean {
	try {
		decodeURIComponent(username + password);
		return true;
	} catch {
		return false;
	}
}

/** The default ports, which an address does not have in it. */
const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
	const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
	const own = port || PORTS[protocol];
	return list
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((entry) => entry !== "")
		.some((entry) => {
			const { name, onPort } = partsOf(entry);
			return (onPort === undefined || onPort === own) && isWithin(host, name);
		});
}

/** `host:port`, `[::1]:port`; an address of version 6 without brackets has no port. */
function partsOf(entry: string): { name: string; onPort: string | undefined } {
	const [, inBrackets, bracketPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? [];
	if (inBrackets !== undefined) return { name: inBrackets, onPort: bracketPort };
	const [, name = entry, onPort] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
	return { name, onPort };
}

function isWithin(host: string, name: string): boolean {
	if (name === "*") return true;
	if (name.includes("/")) return isInNetwork(host, name);
	const suffix = name.replace(/^\*?\.?/, "").replace(/\.$/, "");
	return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
}

function isInNetwork(host: string, network: string): boolean {
	const [base = "", length = ""] = network.split("/");
	const [version, bits] = [isIP(base), Number(length)];
	if (version === 0 || isIP(host) !== version || !/^\d+$/.test(length) || bits > (version === 4 ? 32 : 128))
		return false;
	const list = new BlockList();
	const family = version === 4 ? "ipv4" : "ipv6";
	list.addSubnet(base, bits, family);
	return list.check(host, family);
}

/** The way through a proxy. */
export type Proxied = HttpProxy & { readonly fetch: Fetch };

/** Nothing for an address that is reached without a proxy, and for what is no address, which is refused elsewhere. */
export async function proxiedWay(
	address: string,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<{ proxied?: Proxied }> {
	const route: Route = URL.canParse(address) ? routeTo(address, environment) : { is: "direct" };
	if (route.is === "direct") return {};
	const { proxiedFetch } = await import("./proxied-fetch.ts");
	return { proxied: { ...route.proxy, fetch: proxiedFetch(route.proxy.url, address) } };
}
