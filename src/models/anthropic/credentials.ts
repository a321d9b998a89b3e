/** What a call is allowed by, and where it goes. */
import { AgentreeError } from "../../core/errors.ts";
import { oneLine } from "../messages-api/failure.ts";

export interface AnthropicCredentials {
	/** Takes precedence over `authToken`. */
	readonly apiKey?: string;
	readonly authToken?: string;
	readonly baseUrl?: string;
	/** Sent with each call. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Throws AgentreeError("usage") for a key that no header can carry and for an address that is none. `variable`: the one of the key. */
export function checkCredentials({ apiKey, authToken, baseUrl }: AnthropicCredentials, variable: string): void {
	if (!/^[\x21-\x7e]+$/.test(apiKey || authToken || ""))
		throw new AgentreeError("usage", `${variable} has white space or another character that no key has`);
	if (baseUrl && !(/^https?:/.test(baseUrl) && URL.canParse(baseUrl)))
		throw new AgentreeError("usage", `ANTHROPIC_BASE_URL "${oneLine(baseUrl)}" is no http or https address`);
	if (baseUrl && /^https?:\/\/[^/?#]*@/.test(baseUrl))
		throw new AgentreeError("usage", "ANTHROPIC_BASE_URL has a name or a password in it, which no call can carry");
}
