import { usageError } from "../../core/errors.ts";
import { oneLine } from "../protocol/failure.ts";

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

/** Throws AgentreeError("usage"), without repeating it, for a key that no header can carry. `from`: its variable, or another place. */
export function checkKey(key: string, from: string): void {
	if (!/^[\x21-\x7e]+$/.test(key))
		throw usageError(`${from} has whitespace or another character that is not allowed in a key`);
}

const OF_CALLS = ["content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/** Why nobody may set the header: the platform's fetch refuses it, or one that does not fit the call. Undefined when one may. */
export function notToBeSet(header: string): string | undefined {
	return OF_CALLS.includes(header.toLowerCase()) ? `each call has its own ${header}` : undefined;
}

/** Throws AgentreeError("usage") for an address that is none, and for one with a password. `from`: its variable, or another place. */
export function checkAddress(address: string, from: string): void {
	if (!(/^https?:/.test(address) && URL.canParse(address)))
		throw usageError(`${from} "${oneLine(address)}" is not an http or https address`);
	if (/^https?:\/\/[^/?#]*@/.test(address))
		throw usageError(`${from} contains a user name or password, which is not supported`);
}
