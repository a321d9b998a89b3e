/**
 * The models of Anthropic, through the SDK; no other file imports it. The SDK does transport and headers. What comes after
 * the status 200 is judged here, and the gateway decides whether a call is made again, so the SDK's own retries are off.
 * Everything that the SDK would take from the environment is given to it as an option, and it may not print.
 */

import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { Model, ModelCall, ModelFailure, ModelOutcome, ModelRequest } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";
import { classOf, failureDetails, oneLine } from "../messages-api/failure.ts";
import { validContent } from "../messages-api/valid-content.ts";
import { boundCall, type CallBounds } from "./call-bounds.ts";
import { type Assembly, assembleMessage, isStreamEvent } from "./message-assembly.ts";
import { messageParams } from "./message-params.ts";
import { type HeaderValues, rateLimitsIn, retryAfterMs } from "./rate-limit-headers.ts";

export interface AnthropicCredentials {
	/** Takes precedence over `authToken`. */
	readonly apiKey?: string;
	readonly authToken?: string;
	readonly baseUrl?: string;
}

/**
 * `maxSilenceMs`: how long to wait for an answer's first event, and for each next one; only events of known types count.
 * The SDK's own timeout ends with the headers, and pings, which the SDK does not show, keep a dead stream open. Throws
 * AgentreeError("usage") for a key that no header can carry and for an address that is none.
 */
export function openAnthropic(
	name: string,
	credentials: AnthropicCredentials,
	{ maxSilenceMs, now }: { maxSilenceMs: number; now: () => number },
): Model {
	const variable = credentials.apiKey ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
	checkCredentials(credentials, variable);
	const client = openClient(credentials);
	const open = new Set<CallBounds>();
	return {
		name,
		isRateLimited: true,
		ask: async (request, call) => {
			const callBounds = boundCall(call.signal, maxSilenceMs);
			open.add(callBounds);
			try {
				return await ask(request, call, { client, name, variable, bounds: callBounds, now });
			} finally {
				callBounds.release();
				open.delete(callBounds);
			}
		},
		// Connections of calls under way hold the process; idle ones do not, Node's fetch sees to that.
		close: () => {
			for (const callBounds of open) callBounds.stop();
		},
	};
}

function checkCredentials({ apiKey, authToken, baseUrl }: AnthropicCredentials, variable: string): void {
	if (!/^[\x21-\x7e]+$/.test(apiKey || authToken || ""))
		throw new AgentreeError("usage", `${variable} has white space or another character that no key has`);
	if (baseUrl && !(/^https?:/.test(baseUrl) && URL.canParse(baseUrl)))
		throw new AgentreeError("usage", `ANTHROPIC_BASE_URL "${oneLine(baseUrl)}" is no http or https address`);
}

function openClient({ apiKey, authToken, baseUrl }: AnthropicCredentials): Anthropic {
	const ignore = () => {};
	return new Anthropic({
		apiKey: apiKey || null,
		authToken: apiKey ? null : (authToken ?? null),
		baseURL: baseUrl || null,
		webhookKey: null,
		maxRetries: 0,
		openTelemetry: false,
		logLevel: "off",
		logger: { error: ignore, warn: ignore, info: ignore, debug: ignore },
	});
}

interface Asking {
	client: Anthropic;
	name: string;
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
	{ requestId, broken }: Received,
	{ request, call, asking, assembly }: { request: ModelRequest; call: ModelCall; asking: Asking; assembly: Assembly },
): ModelOutcome {
	const { name, bounds } = asking;
	const usage = assembly.usage();
	const end = assembly.end();
	if (end.is === "broken") {
		if (bounds.brokenBy !== undefined) return brokenOff(bounds.brokenBy, usage); // the SDK ends an aborted stream without an error
		return broken === undefined ? unreachable(end.reason, usage) : failed(broken.error, asking, usage);
	}
	const { stopReason, stopWords, model = name, messageId } = end; // what breaks after the end of an answer does no harm to it
	const content = validContent(end.content, stopReason, { messages: request.messages, turn: call.turn });
	return {
		is: "reply",
		content,
		stopReason,
		...(stopWords && { stopWords: oneLine(stopWords) }),
		usage,
		model,
		...defined({ requestId, messageId }),
	};
}

interface Received {
	requestId: string | undefined;
	broken: { error: unknown } | undefined;
}

/** Fills the assembly with events until the stream ends, well or not. */
async function receive(
	request: ModelRequest,
	call: ModelCall,
	{ client, name, bounds, now }: Asking,
	assembly: Assembly,
): Promise<Received> {
	let requestId: string | undefined;
	try {
		const params = messageParams(name, request) as Anthropic.MessageCreateParamsStreaming;
		const sent = await client.messages.create(params, { signal: bounds.signal }).withResponse();
		requestId = sent.request_id ?? undefined;
		const { headers, body } = sent.response;
		call.onAccepted(rateLimitsIn(headers, now()));
		const type = headers.get("content-type") ?? EVENT_STREAM;
		if (!type.includes(EVENT_STREAM)) {
			await body?.cancel();
			throw new Error(`it is ${oneLine(type)}, no stream of events`);
		}
		for await (const event of sent.data) take(event, { call, assembly, bounds });
		return { requestId, broken: undefined };
	} catch (error) {
		return { requestId, broken: { error } };
	}
}

const EVENT_STREAM = "text/event-stream";
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
	event: unknown,
	{ call, assembly, bounds }: { call: ModelCall; assembly: Assembly; bounds: CallBounds },
): void {
	if (!isStreamEvent(event)) throw new Error("it sent what is no event");
	if (event.type === "ping") return;
	if (event.type === "error") throw new APIError(undefined, event, undefined, undefined); // an error that came under the name of another event
	if (HEARD.has(event.type)) bounds.heard();
	const delta = assembly.take(event);
	if (assembly.fault !== undefined) throw new Error(assembly.fault);
	if (assembly.isEnded) bounds.heardAll();
	if (delta !== undefined) call.onDelta(delta);
}

function brokenOff(by: "stop" | "silence", usage: Usage): ModelFailure {
	if (by === "stop") return { is: "failure", reason: "the call was stopped", exitCode: 1, usage };
	return unreachable("the service was silent for too long, so the call was given up", usage);
}

function unreachable(reason: string, usage: Usage): ModelFailure {
	return { is: "failure", reason, exitCode: 75, usage, retry: { isRateLimit: false } };
}

function failed(error: unknown, { variable, now }: Asking, usage: Usage): ModelFailure {
	if (error instanceof APIConnectionError || !(error instanceof APIError)) {
		const what = error instanceof APIConnectionError ? "the service is out of reach" : "the service's answer broke off";
		return unreachable(`${what}: ${oneLine(causesOf(error))}`, usage);
	}
	const type = error.type ?? undefined;
	const words = error.apiMessage ?? error.message;
	const failureClass = classOf({ status: error.status, type, words });
	const { exitCode, mayRetry, isRateLimit } = failureClass;
	const facts = [error.status && `HTTP ${error.status}`, type, error.requestID].filter(Boolean).join(", ");
	const hint = exitCode === 77 ? `; the service refuses the key: check ${variable}` : "";
	const retry = mayRetry ? retryOf(error.headers, isRateLimit, now()) : undefined;
	return {
		is: "failure",
		reason: `${oneLine(words)}${facts && ` (${facts})`}${hint}`,
		exitCode,
		usage,
		...defined({ retry }),
		...failureDetails(failureClass),
	};
}

/** Whether and when to retry; undefined when the service says itself that a retry is of no use. */
function retryOf(headers: HeaderValues | undefined, isRateLimit: boolean, now: number): ModelFailure["retry"] {
	if (headers?.get("x-should-retry") === "false") return undefined;
	const afterMs = headers && retryAfterMs(headers, now);
	return { isRateLimit, ...defined({ afterMs }) };
}

/** `Connection error. fetch failed: connect ECONNREFUSED 127.0.0.1:9`: the innermost cause is the one that helps. */
function causesOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
	return error.cause === undefined ? own : `${own.replace(/\.$/, "")}: ${causesOf(error.cause)}`;
}
