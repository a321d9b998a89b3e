/**
 * The models of Anthropic, through the SDK, whose only importer this file is. The SDK gives transport, headers and
 * retries before the answer begins (its own default, two); what comes after the 200 is judged here. It is told all that
 * it would else take from the environment, and it may not print.
 */
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { AgentreeError } from "../core/errors.ts";
import type { Model, ModelCall, ModelFailure, ModelOutcome, ModelRequest, Usage } from "../core/model.ts";
import { boundCall, type CallBounds } from "./call-bounds.ts";
import { exitCodeOf, oneLine } from "./failure.ts";
import { assembleMessage, isStreamEvent } from "./message-assembly.ts";
import { messageParams } from "./message-params.ts";
import { soundContent } from "./sound-content.ts";

export interface AnthropicCredentials {
	/** Goes before `authToken`. */
	readonly apiKey?: string;
	readonly authToken?: string;
	readonly baseUrl?: string;
}

/**
 * How long one call may be silent: until its first event (retries and their waits included), and between two events.
 * The SDK's own timeout ends with the headers, and pings, which it does not show, keep a dead stream open.
 */
const MAX_SILENCE_MS = 600_000;

/** Throws AgentreeError("usage") for a key that no header can carry or an address that is none. */
export function openAnthropic(
	name: string,
	credentials: AnthropicCredentials,
	bounds = { maxSilenceMs: MAX_SILENCE_MS },
): Model {
	const variable = credentials.apiKey ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
	checkCredentials(credentials, variable);
	const client = openClient(credentials);
	const open = new Set<CallBounds>();
	return {
		name,
		ask: async (request, call) => {
			const callBounds = boundCall(call.signal, bounds.maxSilenceMs);
			open.add(callBounds);
			const outcome = await ask(request, call, { client, name, variable, bounds: callBounds });
			callBounds.release();
			open.delete(callBounds);
			return outcome;
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
}

async function ask(request: ModelRequest, call: ModelCall, asking: Asking): Promise<ModelOutcome> {
	const { client, name, bounds } = asking;
	const assembly = assembleMessage();
	try {
		const params = messageParams(name, request) as Anthropic.MessageCreateParamsStreaming;
		const sent = client.messages.create(params, { signal: bounds.signal });
		const { data: stream, request_id } = await sent.withResponse();
		for await (const event of stream) {
			bounds.heard();
			if (!isStreamEvent(event))
				return unreachable("the service's answer broke off: it sent what is no event", assembly.usage());
			const delta = assembly.take(event);
			if (delta !== undefined) call.onDelta(delta);
		}
		const usage = assembly.usage();
		if (bounds.brokenBy !== undefined) return brokenOff(bounds.brokenBy, usage); // the SDK ends an aborted stream without a word
		const end = assembly.end();
		if (end.is === "broken") return unreachable(end.reason, usage);
		const { stopReason, model = name, messageId } = end;
		const content = soundContent(end.content, stopReason, { messages: request.messages, turn: call.turn });
		return {
			is: "reply",
			content,
			stopReason,
			usage,
			model,
			...(request_id && { requestId: request_id }),
			...(messageId && { messageId }),
		};
	} catch (error) {
		const usage = assembly.usage();
		return bounds.brokenBy ? brokenOff(bounds.brokenBy, usage) : failed(error, asking.variable, usage);
	}
}

function brokenOff(by: "stop" | "silence", usage: Usage): ModelFailure {
	if (by === "stop") return { is: "failure", reason: "the call was stopped", exitCode: 1, usage };
	return unreachable("the service was silent for too long, so the call was given up", usage);
}

function unreachable(reason: string, usage: Usage): ModelFailure {
	return { is: "failure", reason, exitCode: 75, usage };
}

function failed(error: unknown, variable: string, usage: Usage): ModelFailure {
	if (error instanceof APIConnectionError || !(error instanceof APIError)) {
		const what = error instanceof APIConnectionError ? "the service is out of reach" : "the service's answer broke off";
		return unreachable(`${what}: ${oneLine(causesOf(error))}`, usage);
	}
	const type = error.type ?? undefined;
	const exitCode = exitCodeOf({ status: error.status, type });
	const words = error.apiMessage ?? error.message;
	const facts = [error.status && `HTTP ${error.status}`, type, error.requestID].filter(Boolean).join(", ");
	const hint = exitCode === 77 ? `; the service refuses the key: check ${variable}` : "";
	return { is: "failure", reason: `${oneLine(words)}${facts && ` (${facts})`}${hint}`, exitCode, usage };
}

/** `Connection error. fetch failed: connect ECONNREFUSED 127.0.0.1:9`: the innermost cause is the one that helps. */
function causesOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
	return error.cause === undefined ? own : `${own.replace(/\.$/, "")}: ${causesOf(error.cause)}`;
}
