/** What a call is allowed by, and where it goes. */
import { checkAddress, checkKey } from "../service/check-credentials.ts";

export interface AnthropicCredentials {
	/** Takes precedence over `authToken`. */
	readonly apiKey?: string;
	readonly authToken?: string;
	readonly baseUrl?: string;
	/** Sent with each call. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Throws AgentreeError("usage") for a key that no header can carry and for an address that is none. `variable`: the one of the key. */
export function checkCredentials(
	{ apiKey, authToken, baseUrl }: AnthropicCredentials,
	{ variable, isProxied }: { variable: string; isProxied: boolean },
): void {
	checkKey(apiKey || authToken || "", variable);
	if (baseUrl) checkAddress(baseUrl, { from: "ANTHROPIC_BASE_URL", isProxied });
}
