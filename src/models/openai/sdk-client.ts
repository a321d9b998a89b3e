/**
 * The SDK of OpenAI, which makes the requests; no other file imports it. Its own retries are off. Everything that it would take
 * from the environment is given to it as an option, and it may not print.
 */
import OpenAI from "openai";
import { jsonOf } from "../messages-api/service-words.ts";
import { boundedFetch } from "../service/bounded-fetch.ts";
import { ServiceError } from "../service/call-failure.ts";
import { factsOfAnswer } from "../service/no-stream.ts";
import type { Host } from "./host.ts";
import { toldErrorIn } from "./told-error.ts";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Without a key no header is sent for it. It is asked at whole addresses. */
export function openClient(
	{ headers, hasKeyInHeader }: Pick<Host, "headers" | "hasKeyInHeader">,
	key: string | undefined,
	fetchOnce: Fetch = fetch,
): OpenAI {
	const ignore = () => {};
	return new OpenAI({
		apiKey: key ?? "none",
		defaultHeaders: { ...((key === undefined || hasKeyInHeader) && { Authorization: null }), ...headers },
		...{ adminAPIKey: null, organization: null, project: null, webhookSecret: null },
		baseURL: null,
		fetch: throwingFetch(boundedFetch(fetchOnce)) as typeof fetch,
		maxRetries: 0,
		logLevel: "off",
		logger: { error: ignore, warn: ignore, info: ignore, debug: ignore },
	});
}

/** The SDK would keep of an error only what its own service sends. It looks one cause deep for a time that is over. */
function throwingFetch(fetchOnce: Fetch): Fetch {
	return async (url, init) => {
		const response = await fetchOnce(url, init);
		if (response.ok) return response;
		const text = await response.text();
		const { status } = response;
		const body = toldErrorIn(jsonOf(text))?.body ?? jsonOf(text) ?? text;
		const cause = new ServiceError({ status, body, ...factsOfAnswer(response) });
		throw new Error("refused", { cause: new Error("by the service", { cause }) });
	};
}
