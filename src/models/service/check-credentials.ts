/** Refuses what no call can be made with, without repeating a key. Each throws AgentreeError("usage"). */
import { AgentreeError } from "../../core/errors.ts";
import { oneLine } from "../messages-api/failure.ts";

/** A key that no header can carry. `from`: its variable, or another place. */
export function checkKey(key: string, from: string): void {
	if (!/^[\x21-\x7e]+$/.test(key))
		throw new AgentreeError("usage", `${from} has white space or another character that no key has`);
}

/** An address that is none, or one with a password. `from`: its variable, or another place. */
export function checkAddress(address: string, from: string): void {
	if (!(/^https?:/.test(address) && URL.canParse(address)))
		throw new AgentreeError("usage", `${from} "${oneLine(address)}" is no http or https address`);
	if (/^https?:\/\/[^/?#]*@/.test(address))
		throw new AgentreeError("usage", `${from} has a name or a password in it, which no call can carry`);
}
