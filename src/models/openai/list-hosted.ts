/** Asks services with the protocol of OpenAI for their models. */
import { AgentreeError } from "../../core/errors.ts";
import type { ListHost, ServiceList } from "../provider/provider.ts";
import { checkAddress, checkKey, shownAddress, urlOf } from "../service/check-credentials.ts";
import { listModels } from "../service/list-models.ts";
import { type Proxied, proxiedWay } from "../service/proxy.ts";
import { checkHeaders, endpointOf, type Host, headersOf } from "./host.ts";
import type { Key } from "./keys.ts";

/** `keysOf`: may throw AgentreeError, which is then what came of the service. */
export function listHosted(
	hosts: readonly Host[],
	keysOf: (host: Host) => Promise<readonly Key[]>,
	host: ListHost,
): Promise<ServiceList[]> {
	return Promise.all(
		hosts.map(async (one) => ({
			service: one.name,
			address: shownAddress(one.baseUrl),
			answer: await answerOf(one, keysOf, host),
		})),
	);
}

/** What the service says with this key; undefined: with none. */
export function modelsOf(
	host: Host,
	key: Key | undefined,
	{ proxied, now, withinMs }: { proxied?: Proxied | undefined; now: number; withinMs: number },
): Promise<ServiceList["answer"]> {
	return listModels({
		url: urlOf(host.baseUrl, "/models"),
		headers: headersOf(host, key),
		prefix: `${host.name}/`,
		asked: endpointOf(host, key, { proxied, now }),
		...{ withinMs, fetch: proxied?.fetch },
	});
}

async function answerOf(
	host: Host,
	keysOf: (host: Host) => Promise<readonly Key[]>,
	{ environment = {}, now, withinMs }: ListHost,
): Promise<ServiceList["answer"]> {
	try {
		const { proxied } = await proxiedWay(host.baseUrl, environment);
		checkAddress(host.baseUrl, host.addressFrom);
		checkHeaders(host);
		const [key] = await keysOf(host);
		if (key !== undefined) checkKey(key.value, key.from);
		return await modelsOf(host, key, { proxied, now: now(), withinMs });
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		const exitCode = error.exitCode === 77 ? 77 : 1;
		return { is: "failure", reason: error.message, exitCode, isThere: false };
	}
}
