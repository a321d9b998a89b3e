/** Asks the service for the models that a key may use. */
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { ListHost, ServiceList } from "../provider/provider.ts";
import { shownAddress, urlOf } from "../service/check-credentials.ts";
import { listModels } from "../service/list-models.ts";
import { proxiedWay } from "../service/proxied-way.ts";
import { type AnthropicCredentials, checkCredentials } from "./credentials.ts";

const VERSION = "2023-06-01"; // of the API, which the service wants with each call

export async function listClaude(
	credentials: AnthropicCredentials,
	base: string,
	{ environment = {}, now, withinMs }: ListHost,
): Promise<ServiceList> {
	const { apiKey, authToken = "", headers } = credentials;
	const variable = apiKey === undefined ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY";
	const service = "anthropic";
	try {
		const { proxied } = await proxiedWay(base, environment);
		checkCredentials(credentials, { variable, isProxied: proxied !== undefined });
		const address = new URL(base).origin;
		const asked = { address, variable, addressFrom: "ANTHROPIC_BASE_URL", now: now(), ...defined({ proxy: proxied }) };
		const url = new URL(urlOf(base, "/v1/models"));
		url.searchParams.set("limit", "1000");
		const key = apiKey === undefined ? { authorization: `Bearer ${authToken}` } : { "x-api-key": apiKey };
		const answer = await listModels({
			url: url.href,
			headers: { ...key, "anthropic-version": VERSION, ...headers },
			...{ prefix: "", asked, withinMs, fetch: proxied?.fetch },
		});
		return { service, address: shownAddress(base), answer };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return {
			service,
			address: shownAddress(base),
			answer: { is: "failure", reason: error.message, exitCode: 1, isThere: false },
		};
	}
}
