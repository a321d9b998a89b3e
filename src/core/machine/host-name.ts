/**
 * The one spelling of a host, in which it is compared and connected to: lower case, punycode, no final dot, an IPv4 address as
 * `1.2.3.4` whatever its spelling, an IPv6 address in brackets in its shortest form.
 */

const MAX_NAME_CHARS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IN_BRACKETS = /^\[[\da-f:.]+\]$/i;
const NOT_IN_NAMES = /[\s%@/?#\\:|^<>{}[\]"'`*,;=&+~!$()]/;
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Undefined for what is no host: escapes, white space, a zone, a name and password, a port. */
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
