/**
 * The SDK of OpenAI, which makes the requests; no other file imports it. Its own retries are off. Everything that it would take
 * from the environment is given to it as an option, and it may not print.
 */
import { OpenAI } from "openai/client";
import { jsonOf } from "../protocol/service-words.ts";
import type { Fetch } from "../service/bounded-fetch.ts";
import { throwingFetch } from "../service/call-failure.ts";
import type { Host } from "./host.ts";
import { toldErrorIn } from "./messages/read-answer.ts";

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
		fetch: throwingFetch(fetchOnce, (text) => toldErrorIn(jsonOf(text))?.body ?? jsonOf(text)) as typeof fetch,
		maxRetries: 0,
		logLevel: "off",
		logger: { error: ignore, warn: ignore, info: ignore, debug: ignore },
	});
}
