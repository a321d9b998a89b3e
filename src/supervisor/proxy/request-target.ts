/** Where a request to the proxy is to go: the target of CONNECT, or of a plain request with a whole `http://` address (RFC 9112, 3.2). */
import { type HostAndPort, hostName } from "../../core/machine/host-pattern.ts";

export type RequestTarget =
	| { readonly is: "target"; readonly to: HostAndPort; readonly path: string; readonly authority: string }
	/** `reason`: for the client. */
	| { readonly is: "wrong"; readonly reason: string };

const AUTHORITY = /^(\[[\da-fA-F:.]+\]|[A-Za-z\d._-]+)(?::(\d{1,5}))?$/;
const ABSOLUTE = /^http:\/\/([^/?#]*)([^#]*)$/i;
const MAX_PORT = 65_535;
const HTTP_PORT = 80;

/** `text`: a host and a port, which must be there. */
export function connectTarget(text: string): RequestTarget {
	const to = hostAndPort(text, undefined);
	if (to === undefined) return { is: "wrong", reason: "CONNECT needs a host and a port, as in example.org:443" };
	return { is: "target", to, path: "", authority: authorityOf(to) };
}

export function plainTarget(text: string): RequestTarget {
	const [, authority, rest = ""] = ABSOLUTE.exec(text) ?? [];
	if (authority === undefined) return { is: "wrong", reason: `${WHOLE}; for https ask with CONNECT` };
	if (authority.includes("@")) return { is: "wrong", reason: "an address with a user name is not forwarded" };
	const to = hostAndPort(authority, HTTP_PORT);
	if (to === undefined) return { is: "wrong", reason: "not a host" };
	const path = rest.startsWith("/") ? rest : `/${rest}`;
	return { is: "target", to, path, authority: authorityOf(to, HTTP_PORT) };
}

const WHOLE = "this is a proxy: it needs a whole address, as in GET http://example.org/";

function hostAndPort(text: string, usual: number | undefined): HostAndPort | undefined {
	const [, spelt = "", digits] = AUTHORITY.exec(text) ?? [];
	const host = hostName(spelt);
	const port = digits === undefined ? usual : Number(digits);
	return host === undefined || port === undefined || port < 1 || port > MAX_PORT ? undefined : { host, port };
}

function authorityOf({ host, port }: HostAndPort, usual?: number): string {
	return port === usual ? host : `${host}:${port}`;
}
