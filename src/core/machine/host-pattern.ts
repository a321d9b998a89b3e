/**
 * What hosts an agent may reach: `example.org` is that name, `*.example.org` all names below it and not itself, `*` all names; an
 * address is only that address. Without a port these are those of the web, 80 and 443; `example.org:8080` is that port,
 * `example.org:*` all.
 */

export interface HostPattern {
	/** Of a wildcard, the name below which all are meant; empty for all names. */
	readonly host: string;
	readonly isWildcard: boolean;
	readonly port: number | "web" | "any";
}

/** What a client asks for; `host` as `hostName` gives it. */
export interface HostAndPort {
	readonly host: string;
	readonly port: number;
}

const WEB_PORTS = [80, 443];
const PARTS = /^(?<wildcard>\*\.)?(?<host>\[[^\]]*\]|[^:[\]]*)(?::(?<port>\*|\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** Undefined for what is no pattern. */
export function readHostPattern(text: string): HostPattern | undefined {
	const parts = PARTS.exec(text)?.groups;
	const port = portOf(parts?.port);
	if (parts === undefined || port === undefined) return undefined;
	if (parts.host === "*") return parts.wildcard === undefined ? { host: "", isWildcard: true, port } : undefined;
	const host = hostName(parts.host ?? "");
	const isWildcard = parts.wildcard !== undefined;
	if (host === undefined || (isWildcard && addressOfHost(host) !== undefined)) return undefined;
	return { host, isWildcard, port };
}

function portOf(text: string | undefined): HostPattern["port"] | undefined {
	if (text === undefined) return "web";
	if (text === "*") return "any";
	const port = Number(text);
	return port >= 1 && port <= MAX_PORT ? port : undefined;
}

export function matchesHost({ host, isWildcard, port }: HostPattern, asked: HostAndPort): boolean {
	const isPort = port === "any" || (port === "web" ? WEB_PORTS.includes(asked.port) : port === asked.port);
	return isPort && (isWildcard ? isBelow(asked.host, host) : asked.host === host);
}

/** True when everything that `inner` allows `outer` allows, too. */
export function coversHosts(outer: HostPattern, inner: HostPattern): boolean {
	const isPort =
		outer.port === "any" ||
		outer.port === inner.port ||
		(outer.port === "web" && typeof inner.port === "number" && WEB_PORTS.includes(inner.port));
	if (!isPort) return false;
	if (!outer.isWildcard) return !inner.isWildcard && outer.host === inner.host;
	return (inner.isWildcard && inner.host === outer.host) || isBelow(inner.host, outer.host);
}

/** No address is below a name, and no wildcard means one. */
function isBelow(host: string, above: string): boolean {
	if (host === "" || addressOfHost(host) !== undefined) return false;
	return above === "" || host.endsWith(`.${above}`);
}

/** `example.org:8080`; without the ports of the web `example.org`, as people write it in a pattern. */
export function patternFor({ host, port }: HostAndPort): string {
	return WEB_PORTS.includes(port) ? host : `${host}:${port}`;
}

const MAX_NAME_CHARS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IN_BRACKETS = /^\[[\da-f:.]+\]$/i;
const NOT_IN_NAMES = /[\s%@/?#\\:|^<>{}[\]"'`*,;=&+~!$()]/;
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * The one spelling of a host, in which it is compared and connected to: lower case, punycode, no final dot, an IPv4 address as
 * `1.2.3.4` whatever its spelling, an IPv6 address in brackets in its shortest form. Undefined for what is no host: escapes, white
 * space, a zone, a name and password, a port.
 */
export function hostName(text: string): string | undefined {
	if (!(text.startsWith("[") ? IN_BRACKETS.test(text) : !NOT_IN_NAMES.test(text))) return undefined;
	const host = urlHost(text.replace(/\.$/, ""));
	if (host === undefined || host.endsWith(".")) return undefined;
	if (host.startsWith("[")) return unmapped(host);
	const isName = host.length <= MAX_NAME_CHARS && host.split(".").every((label) => LABEL.test(label));
	return isName ? host : undefined;
}

/** The address that a host is; undefined for a name. */
export function addressOfHost(host: string): string | undefined {
	if (host.startsWith("[")) return host.slice(1, -1);
	return IPV4.test(host) ? host : undefined;
}

/** The host that an address is, whatever its spelling; a zone of an IPv6 address says which network, and is left out. */
export function hostOfAddress(address: string): string | undefined {
	const [plain = ""] = address.split("%");
	return hostName(plain.includes(":") ? `[${plain}]` : plain);
}

/** The WHATWG standard of URLs has the rules: it is what browsers, fetch and curl make of a host. */
function urlHost(text: string): string | undefined {
	try {
		return new URL(`http://${text}/`).hostname;
	} catch {
		return undefined;
	}
}

/** An IPv4 address in IPv6, `::ffff:1.2.3.4`, leads where the IPv4 address does. */
function unmapped(host: string): string {
	const [, high, low] = MAPPED.exec(host) ?? [];
	if (high === undefined || low === undefined) return host;
	const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
	return [one >> 8, one & 255, two >> 8, two & 255].join(".");
}

/** Begins the reason for which the proxy refuses a host: the supervisor writes it into the status line, where the agent reads the host. */
export const REFUSED_BY = "Refused by agentree";
const NOT_ALLOWED = "is not an allowed host";
const LOCAL = "resolves to";
const REFUSED = new RegExp(`^HTTP/1\\.1 403 ${REFUSED_BY}: ([\\w.:[\\]-]{1,270}) (?:${NOT_ALLOWED}|${LOCAL}) `);

export function notAllowed(to: HostAndPort): string {
	return `${patternFor(to)} ${NOT_ALLOWED} for this agent; a person can allow it with --allow-host ${patternFor(to)}`;
}

/** `host`: of the address. */
export function notPublic(to: HostAndPort, host: string): string {
	const named = patternFor({ host, port: to.port });
	return `${to.host} ${LOCAL} ${host}, which is this machine or its local network; a person can allow it with --allow-host ${named}`;
}

/** `answer`: how an answer of the proxy begins. The host, with a port where that is not one of the web; undefined where no host was refused. */
export function refusedHost(answer: string): string | undefined {
	return REFUSED.exec(answer)?.[1];
}
