import { AgentreeError } from "../../core/errors.ts";
import { oneLine } from "../messages-api/failure.ts";

/** Addresses of calls, and as they may be shown. Pure. */

/** The path goes between the address of the service and a query that it has (`?api-version=…`). */
export function urlOf(baseUrl: string, path: string): string {
	const url = new URL(baseUrl);
	url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
	return url.href;
}

/** Without a query, which may have a key. */
export function shownAddress(baseUrl: string): string {
	return baseUrl.replace(/[?#].*$/s, "");
}

/** Refuses what no call can be made with, without repeating a key. Each throws AgentreeError("usage"). */

/** A key that no header can carry. `from`: its variable, or another place. */
export function checkKey(key: string, from: string): void {
	if (!/^[\x21-\x7e]+$/.test(key))
		throw new AgentreeError("usage", `${from} has whitespace or another character that is not allowed in a key`);
}

const OF_CALLS = ["content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/** Why nobody may set the header: the platform's fetch refuses it, or one that does not fit the call. Undefined when one may. */
export function notToBeSet(header: string): string | undefined {
	return OF_CALLS.includes(header.toLowerCase()) ? `each call has its own ${header}` : undefined;
}

/** Ports at which browsers' services are never asked, by the Fetch standard: the platform's fetch refuses them, whoever listens there. */
export const REFUSED_PORTS: readonly number[] = [
	...[
		1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	],
	...[
		111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
	],
	...[540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061],
	...[6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];

/**
 * An address that is none, one with a password, or one with a port to which no call goes. `from`: its variable, or another place.
 * `isProxied`: the platform's fetch is not used.
 */
export function checkAddress(address: string, { from, isProxied }: { from: string; isProxied: boolean }): void {
	if (!(/^https?:/.test(address) && URL.canParse(address)))
		throw new AgentreeError("usage", `${from} "${oneLine(address)}" is not an http or https address`);
	if (/^https?:\/\/[^/?#]*@/.test(address))
		throw new AgentreeError("usage", `${from} contains a user name or password, which is not supported`);
	const { port } = new URL(address);
	if (!isProxied && REFUSED_PORTS.includes(Number(port)))
		throw new AgentreeError(
			"usage",
			`${from} has port ${port}, which Node blocks because it is reserved for another kind of service: use another port`,
		);
}
