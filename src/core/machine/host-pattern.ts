/**
 * What hosts an agent may reach: `example.org` is that name, `*.example.org` all names below it and not itself, `*` all names; an
 * address is only that address. Without a port these are those of the web, 80 and 443; `example.org:8080` is that port,
 * `example.org:*` all.
 */
import { addressOfHost, hostName } from "./host-name.ts";

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
