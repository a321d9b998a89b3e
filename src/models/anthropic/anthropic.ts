/**
 * The models of Anthropic, through the SDK; no other file imports it. The SDK makes the request. What comes back is bounded,
 * read and judged here, and the gateway decides whether a call is made again, so the SDK's own retries are off.
 * Everything that the SDK would take from the environment is given to it as an option, and it may not print.
 */
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { defined } from "../../core/defined.ts";
import type { Model, ModelCall, ModelFailure, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { countedUsage, type Usage } from "../../core/model/usage.ts";
import { oneLine } from "../messages-api/failure.ts";
import { jsonOf } from "../messages-api/service-words.ts";
import { validContent } from "../messages-api/valid-content.ts";
import { hintAboutName } from "../provider/hint-about-name.ts";
import type { ModelHost } from "../provider/provider.ts";
import { beginningOf, boundedFetch } from "../service/bounded-fetch.ts";
import { boundedModel, type CallBounds } from "../service/call-bounds.ts";
import {
	causesOf,
	failureOfBounds,
	failureOfBreak,
	failureOfToldError,
	ServiceError,
	unreachable,
} from "../service/call-failure.ts";
import { urlOf } from "../service/check-credentials.ts";
import { eventsIn, NoEvents } from "../service/event-stream.ts";
import { factsOfAnswer, isDocument, noStream } from "../service/no-stream.ts";
import type { Proxied } from "../service/proxied-way.ts";
import { rateLimitsIn } from "../service/rate-limit-headers.ts";
import { type AnthropicCredentials, checkCredentials } from "./credentials.ts";
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
	const variable = credentials.apiKey ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
	checkCredentials(credentials, { variable, isProxied: proxied !== undefined });
	const client = openClient(credentials, proxied?.fetch ?? fetch);
	return boundedModel({ name, service: SERVICE, maxSilenceMs }, ({ request, call, bounds }) =>
		ask(request, call, { client, name, nameFrom, proxied, variable, bounds, now }),
	);
}

function openClient(
	{ apiKey, authToken, baseUrl, headers = {} }: AnthropicCredentials,
	fetchOnce: (url: string, init: RequestInit) => Promise<Response>,
): Anthropic {
	const ignore = () => {};
	return new Anthropic({
		apiKey: apiKey || null,
		authToken: apiKey ? null : (authToken ?? null),
		baseURL: baseUrl || null,
		defaultHeaders: headers,
		webhookKey: null,
		fetch: boundedFetch(fetchOnce) as typeof fetch,
		maxRetries: 0,
		openTelemetry: false,
		logLevel: "off",
		logger: { error: ignore, warn: ignore, info: ignore, debug: ignore },
	});
}

interface Asking {
	client: Anthropic;
	name: string;
	/** As in ModelHost. */
	nameFrom: string | undefined;
	proxied: Proxied | undefined;
	variable: string;
	bounds: CallBounds;
	now: () => number;
}

async function ask(request: ModelRequest, call: ModelCall, asking: Asking): Promise<ModelOutcome> {
	const assembly = assembleMessage();
	const received = await receive(request, call, asking, assembly);
	try {
		return outcomeOf(received, { request, call, asking, assembly });
	} catch (error) {
		// The answer has a shape that nobody thought of; another answer to the same request may have a known one.
		return unreachable(`the service's answer cannot be read: ${oneLine(causesOf(error))}`, assembly.usage());
	}
}

function outcomeOf(
	received: Received,
	{ request, call, asking, assembly }: { request: ModelRequest; call: ModelCall; asking: Asking; assembly: Assembly },
): ModelOutcome {
	const { name, bounds, proxied } = asking;
	const { requestId, broken } = received;
	const usage = assembly.usage();
	const end = assembly.end({ isClean: broken === undefined && bounds.brokenBy === undefined });
	if (end.is === "broken") {
		if (bounds.brokenBy !== undefined) return failureOfBounds(bounds.brokenBy, usage, proxied);
		return broken === undefined ? unreachable(end.reason, usage) : failed(received, asking, usage);
	}
	const { stopReason, stopWords, model = name, messageId } = end; // what breaks after the end of an answer does no harm to it
	const content = validContent(end.content, stopReason, { messages: request.messages, turn: call.turn });
	return {
		is: "reply",
		content,
		stopReason,
		...(stopWords && { stopWords: oneLine(stopWords) }),
		usage: countedUsage(usage),
		model,
		...defined({ requestId, messageId }),
	};
}

interface Received {
	requestId: string | undefined;
	/** The service has answered with the status 200. */
	isConnected: boolean;
	broken: { error: unknown } | undefined;
}

/** Fills the assembly with events until the stream ends, well or not. */
async function receive(
	request: ModelRequest,
	call: ModelCall,
	{ client, name, bounds, now }: Asking,
	assembly: Assembly,
): Promise<Received> {
	let response: Response | undefined;
	let broken: Received["broken"];
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
	} catch (error) {
		broken = { error: error instanceof NoEvents && response ? noStream(response, error.words, isErrorOfApi) : error };
	}
	return { requestId: response?.headers.get("request-id") ?? undefined, isConnected: response !== undefined, broken };
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

function failed({ broken, isConnected }: Received, asking: Asking, usage: Usage): ModelFailure {
	const { client, variable, now, name, nameFrom, proxied } = asking;
	const error = broken?.error;
	const hintAboutModel = hintAboutName(name, KNOWN_NAMES, nameFrom);
	const asked = {
		address: new URL(client.baseURL).origin,
		variable,
		addressFrom: "ANTHROPIC_BASE_URL",
		hintAboutModel,
		now: now(),
		...defined({ proxy: proxied }),
	};
	if (error instanceof ServiceError) return failureOfToldError(error.told, asked, usage);
	if (error instanceof APIError && error.status !== undefined && error.headers !== undefined) {
		const { status, headers } = error;
		const body = error.error ?? error.message.replace(`${status} `, "");
		return failureOfToldError({ status, body, ...factsOfAnswer({ headers }) }, asked, usage);
	}
	return failureOfBreak(error, { isConnected, ...asked }, usage);
}

/** From a server-sent event to an event of the Messages API. */

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
