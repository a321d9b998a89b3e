/** What a call is allowed by, and where it goes. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { ListHost, ServiceList } from "../provider/provider.ts";
import { checkAddress, checkKey, shownAddress, urlOf } from "../service/check-credentials.ts";
import { listModels } from "../service/list-models.ts";
import { proxiedWay } from "../service/proxy.ts";

export interface AnthropicCredentials {
	/** Takes precedence over `authToken`. */
	readonly apiKey?: string;
	readonly authToken?: string;
	readonly baseUrl?: string;
	/** Sent with each call. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Throws AgentreeError("usage") for a key that no header can carry and for an address that is none. */
export function checkCredentials({ apiKey, authToken, baseUrl }: AnthropicCredentials): void {
	checkKey(apiKey || authToken || "", keyVariable({ apiKey }));
	if (baseUrl) checkAddress(baseUrl, ADDRESS_VARIABLE);
}

export const ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL";

/** The variable of the key that is sent. */
export function keyVariable({ apiKey }: { apiKey?: string | undefined }): string {
	return apiKey ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
}

/** Asks the service for the models that a key may use. */

const VERSION = "2023-06-01"; // of the API, which the service wants with each call

export async function listClaude(
	credentials: AnthropicCredentials,
	base: string,
	{ environment = {}, now, withinMs }: ListHost,
): Promise<ServiceList> {
	const { apiKey, authToken = "", headers } = credentials;
	const shown = { service: "anthropic", address: shownAddress(base) };
	try {
		const { proxied } = await proxiedWay(base, environment);
		checkCredentials(credentials);
		const address = new URL(base).origin;
		const variable = keyVariable(credentials);
		const asked = { address, variable, addressFrom: ADDRESS_VARIABLE, now: now(), ...defined({ proxy: proxied }) };
		const url = new URL(urlOf(base, "/v1/models"));
		url.searchParams.set("limit", "1000");
		const key = apiKey === undefined ? { authorization: `Bearer ${authToken}` } : { "x-api-key": apiKey };
		const answer = await listModels({
			url: url.href,
			headers: { ...key, "anthropic-version": VERSION, ...headers },
			...{ prefix: "", asked, withinMs, fetch: proxied?.fetch },
		});
		return { ...shown, answer };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { ...shown, answer: { is: "failure", reason: error.message, exitCode: 1, isThere: false } };
	}
}
