/**
 * The models of Anthropic, through the SDK; no other file imports it. The SDK makes the request. What comes back is bounded,
 * read and judged here, and the gateway decides whether a call is made again, so the SDK's own retries are off.
 * Everything that the SDK would take from the environment is given to it as an option, and it may not print.
 */
import { BaseAnthropic } from "@anthropic-ai/sdk";
import { defined } from "../../core/defined.ts";
import type { Model, ModelCall } from "../../core/model/model.ts";
import { jsonOf } from "../protocol/service-words.ts";
import { hintAboutName, type ModelHost } from "../provider/provider.ts";
import { beginningOf, type Fetch } from "../service/bounded-fetch.ts";
import { type BoundedCall, boundedModel, type CallBounds } from "../service/call-bounds.ts";
import { factsOfAnswer, isDocument, noStream, ServiceError, throwingFetch } from "../service/call-failure.ts";
import { urlOf } from "../service/check-credentials.ts";
import { eventsIn, NoEvents } from "../service/event-stream.ts";
import type { Proxied } from "../service/proxy.ts";
import { rateLimitsIn } from "../service/rate-limit-headers.ts";
import { outcomeOf, type Received } from "../service/service-answer.ts";
import { ADDRESS_VARIABLE, type AnthropicCredentials, checkCredentials, keyVariable } from "./credentials.ts";
import { type Assembly, assembleMessage, isStreamEvent, type StreamEvent } from "./message-assembly.ts";
import { messageParams } from "./message-params.ts";
import { asksForLargeContext, LARGE_CONTEXT_HEADERS, MODEL_TABLE } from "./model-table.ts";

type AnthropicHost = Pick<ModelHost, "maxSilenceMs" | "nameFrom" | "now"> & { readonly proxied?: Proxied };

const SERVICE = "anthropic";

/**
 * `maxSilenceMs`: how long to wait for an answer's first event, and for each next one; only events of known types count.
 * The SDK's own timeout ends with the headers, and pings, which the SDK does not show, keep a dead stream open. Throws
 * AgentreeError("usage") for a key that no header can carry and for an address that is none.
 */
export function openAnthropic(
	name: string,
	credentials: AnthropicCredentials,
	{ maxSilenceMs, nameFrom, proxied, now }: AnthropicHost,
): Model {
	checkCredentials(credentials);
	const client = openClient(credentials, proxied?.fetch ?? fetch);
	return boundedModel({ name, service: SERVICE, maxSilenceMs }, async (call) => {
		const assembly = assembleMessage();
		const received = await receive(call, { client, name, now }, assembly);
		const asked = {
			address: new URL(client.baseURL).origin,
			variable: keyVariable(credentials),
			addressFrom: ADDRESS_VARIABLE,
			hintAboutModel: hintAboutName(name, KNOWN_NAMES, nameFrom),
			now: now(),
			...defined({ proxy: proxied }),
		};
		return outcomeOf(call, received, { assembly, asked, nameOf: (model = name) => model });
	});
}

function openClient(
	{ apiKey, authToken, baseUrl, headers = {} }: AnthropicCredentials,
	fetchOnce: Fetch,
): BaseAnthropic {
	const ignore = () => {};
	return new BaseAnthropic({
		apiKey: apiKey || null,
		authToken: apiKey ? null : (authToken ?? null),
		baseURL: baseUrl || null,
		defaultHeaders: headers,
		webhookKey: null,
		fetch: throwingFetch(fetchOnce) as typeof fetch,
		maxRetries: 0,
		openTelemetry: false,
		logLevel: "off",
		logger: { error: ignore, warn: ignore, info: ignore, debug: ignore },
	});
}

/** Fills the assembly with events until the stream ends, well or not. */
async function receive(
	{ request, call, bounds }: BoundedCall,
	{ client, name, now }: { client: BaseAnthropic; name: string; now: () => number },
	assembly: Assembly,
): Promise<Received> {
	let response: Response | undefined;
	try {
		const body = messageParams(name, request);
		const headers = asksForLargeContext(name) ? LARGE_CONTEXT_HEADERS : {};
		// The SDK's own method for messages prints a warning for older models.
		response = await client
			.post(urlOf(client.baseURL, "/v1/messages"), { body, headers, stream: true, signal: bounds.signal })
			.asResponse();
		if (isDocument(response)) throw noStream(response, await beginningOf(response), isErrorOfApi);
		if (response.body === null) throw new Error(`it has no content (HTTP ${response.status})`);
		call.onAccepted(rateLimitsIn(response.headers, now()));
		for await (const { name: eventName, data } of eventsIn(response.body)) {
			const event = streamEventOf(eventName, data);
			if (event?.type === "error") throw new ServiceError({ body: event, ...factsOfAnswer(response) });
			if (event !== undefined) take(event, { call, assembly, bounds });
		}
		return { response };
	} catch (error) {
		if (!(error instanceof NoEvents) || response === undefined) return { response, error };
		return { response, error: noStream(response, error.words, isErrorOfApi) };
	}
}

const KNOWN_NAMES = MODEL_TABLE.map(({ id }) => id);
/** Events that show that an answer comes on. A proxy may keep a dead stream open with events of its own. */
const HEARD = new Set([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
]);

function take(
	event: StreamEvent,
	{ call, assembly, bounds }: { call: ModelCall; assembly: Assembly; bounds: CallBounds },
): void {
	if (HEARD.has(event.type) && !isEmptyPiece(event)) bounds.heard();
	const delta = assembly.take(event);
	if (assembly.fault !== undefined) throw new Error(assembly.fault);
	if (assembly.isEnded) bounds.heardAll();
	if (delta !== undefined) call.onDelta(delta);
}

function isEmptyPiece({ type, delta = {} }: StreamEvent): boolean {
	const brings = Object.entries(delta).some(([key, value]) => key !== "type" && value !== "");
	return type === "content_block_delta" && !brings;
}

/** An error as this API has it, or as gateways pass it on of the API of OpenAI, which says nothing of its type beside it. */
function isErrorOfApi(json: unknown): boolean {
	const { type, error } = Object(json);
	if (type === "error") return typeof error?.type === "string";
	return type === undefined && typeof error?.message === "string";
}

/**
 * Undefined for a ping, and for what is no part of an answer. The type stands in the data; an event whose data has none has the name
 * of the event as its type, since a gateway's `event: error` may have any data. Throws when the data is neither.
 */
export function streamEventOf(name: string | undefined, data: string): StreamEvent | undefined {
	if (name === "ping" || data === "" || data === "[DONE]") return undefined; // with which streams of another API end
	if (name === "error") return { ...Object(jsonOf(data) ?? { message: data }), type: "error" };
	const event: unknown = JSON.parse(data);
	if (isErrorOfApi(event)) return { ...Object(event), type: "error" };
	if (isStreamEvent(event)) return event.type === "ping" ? undefined : event;
	const named = { ...Object(event), type: name };
	if (typeof event !== "object" || event === null || Array.isArray(event) || !isStreamEvent(named))
		throw new Error("it sent something that is not an event");
	return named;
}
