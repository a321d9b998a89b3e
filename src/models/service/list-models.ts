/** Asks a service for its models: GET /models of both protocols. One call, which is made again by nobody. */
import { defined } from "../../core/defined.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { jsonOf } from "../protocol/service-words.ts";
import type { PriceTier } from "../provider/model-facts.ts";
import type { ListedModel, ServiceList } from "../provider/provider.ts";
import { boundedFetch, type Fetch } from "./bounded-fetch.ts";
import { type Asked, factsOfAnswer, failureOfError, failureOfToldError } from "./call-failure.ts";
import { wholeText } from "./event-stream.ts";

interface ListRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** What stands before the service's own names. */
	readonly prefix: string;
	readonly asked: Asked;
	readonly withinMs: number;
	/** Absent: without a proxy. */
	readonly fetch?: Fetch | undefined;
}

export async function listModels({
	url,
	headers,
	prefix,
	asked,
	withinMs,
	...given
}: ListRequest): Promise<ServiceList["answer"]> {
	let response: Response | undefined;
	try {
		const signal = AbortSignal.timeout(withinMs);
		response = await boundedFetch(given.fetch ?? fetch)(url, { headers, signal });
		const text = response.body === null ? "" : await wholeText(response.body);
		const json = jsonOf(text);
		const listed = response.ok ? listIn(json) : undefined;
		if (listed !== undefined) return { is: "models", models: listed.flatMap((model) => modelOf(model, prefix)) };
		const { status } = response;
		if (response.ok)
			return failure(`it did not return a list of models (HTTP ${status})`, { exitCode: 1, isThere: true });
		const told = failureOfToldError({ status, body: json ?? text, ...factsOfAnswer(response) }, asked, NO_USAGE);
		return failure(told.reason, { exitCode: told.exitCode, isThere: [404, 405, 501].includes(status) });
	} catch (error) {
		const isLate = error instanceof Error && error.name === "TimeoutError";
		const cause = isLate ? new Error(`it did not answer within ${withinMs / 1000} s`) : error;
		const broken = failureOfError(cause, { isConnected: response !== undefined, ...asked }, NO_USAGE);
		return failure(broken.reason, { exitCode: 75, isThere: false });
	}
}

function failure(reason: string, told: { exitCode: 1 | 75 | 77; isThere: boolean }): ServiceList["answer"] {
	return { is: "failure", reason, ...told };
}

/** `{ data: […] }`, `{ models: […] }`, or the bare list. */
function listIn(json: unknown): unknown[] | undefined {
	if (Array.isArray(json)) return json;
	const { data, models } = Object(json);
	return [data, models].find(Array.isArray);
}

/** The size has one of several names; OpenRouter has prices of a token, in dollars, as texts. */
function modelOf(model: unknown, prefix: string): ListedModel[] {
	const { id, name, context_length, context_window, max_model_len, pricing } = Object(model);
	const own = [id, name].find((word) => typeof word === "string" && word !== "");
	if (own === undefined) return [];
	const contextTokens = [context_length, context_window, max_model_len].find(
		(size) => Number.isInteger(size) && size > 0,
	);
	return [{ name: `${prefix}${own}`, ...defined({ contextTokens, price: priceIn(pricing) }) }];
}

function priceIn(pricing: unknown): PriceTier | undefined {
	const { prompt, completion, input_cache_read } = Object(pricing);
	const [input, output, cacheRead] = [prompt, completion, input_cache_read].map(perMillion);
	if (input === undefined || output === undefined) return undefined;
	return { input, output, ...defined({ cacheRead }) };
}

function perMillion(dollars: unknown): number | undefined {
	const number = typeof dollars === "string" && dollars.trim() !== "" ? Number(dollars) : dollars;
	return typeof number === "number" && number >= 0 ? Number((number * 1_000_000).toFixed(6)) : undefined;
}
