/** Reads what a service answers with the status 200 into an assembly: events, or a document where it does not stream. */

import type { ModelCall } from "../../../core/model/model.ts";
import { jsonOf } from "../../protocol/service-words.ts";
import type { CallBounds } from "../../service/call-bounds.ts";
import { factsOfAnswer, isDocument, noStream, ServiceError, type ToldError } from "../../service/call-failure.ts";
import { eventsIn, NoEvents, wholeText } from "../../service/event-stream.ts";
import { rateLimitsIn } from "../../service/rate-limit-headers.ts";
import { type Assembly, DONE } from "./chat-assembly.ts";

interface Reader {
	readonly assembly: Assembly;
	readonly call: ModelCall;
	readonly bounds: CallBounds;
	readonly now: number;
}

/** How long the usage may come after the answer, before it counts as never sent. */
const USAGE_WITHIN_MS = 5_000;

/** How events begin, which some gateways send as JSON. */
const EVENTS = /^\s*(?:data|event|id|retry)?:/;

/** Throws for what is no answer, with ServiceError for what the service told, and TooLarge. */
export async function readAnswer(response: Response, { assembly, call, bounds, now }: Reader): Promise<void> {
	if (response.body === null) throw new Error(`it has no content (HTTP ${response.status})`);
	const take = (event: unknown) => {
		const told = toldErrorIn(event);
		if (told !== undefined) throw new ServiceError({ ...told, ...factsOfAnswer(response) });
		const before = assembly.progress;
		const deltas = assembly.take(event);
		if (assembly.progress > before) bounds.heard();
		if (assembly.isEnded === "whole") bounds.heardAll(USAGE_WITHIN_MS);
		if (assembly.isEnded === "with_usage") bounds.heardAll();
		for (const delta of deltas) call.onDelta(delta);
	};
	const takeDocument = (text: string) => {
		const json = jsonOf(text);
		if (!isAnswer(json) && toldErrorIn(json) === undefined) throw noStream(response, text, () => false);
		call.onAccepted(rateLimitsIn(response.headers, now));
		take(json);
	};
	const { beginning, all } = await peeked(response.body);
	if (isDocument(response) && !EVENTS.test(beginning)) return takeDocument(await wholeText(all));
	let isAccepted = false;
	try {
		for await (const { name, data } of eventsIn(all)) {
			const event = eventOf(name, data);
			if (event === undefined) continue;
			if (!isAccepted && toldErrorIn(event) === undefined) call.onAccepted(rateLimitsIn(response.headers, now));
			isAccepted = true;
			take(event);
		}
	} catch (error) {
		if (!(error instanceof NoEvents)) throw error;
		takeDocument(error.words);
	}
}

function isAnswer(json: unknown): boolean {
	const { choices, object } = Object(json);
	return Array.isArray(choices) || object === "response";
}

/** Undefined for what is no part of an answer. Throws for what is no event. */
function eventOf(name: string | undefined, data: string): unknown {
	if (data.trim() === DONE) return DONE;
	if (data.trim() === "" || name === "ping") return undefined;
	const event = jsonOf(data);
	if (name === "error") return toldErrorIn(event) === undefined ? { error: event ?? data } : event;
	if (typeof event !== "object" || event === null) throw new Error("it sent something that is not an event");
	return event;
}

/** The beginning of a body, which tells what it is when its type does not, and the whole of it to be read all the same. */
interface Peeked {
	readonly beginning: string;
	readonly all: AsyncIterable<Uint8Array>;
}

const BEGINNING_BYTES = 16; // more than a BOM and the name of a field

/** Throws what the body throws. */
async function peeked(body: AsyncIterable<Uint8Array>): Promise<Peeked> {
	const reader = body[Symbol.asyncIterator]();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	while (bytes < BEGINNING_BYTES) {
		const { done, value } = await reader.next();
		if (done) break;
		chunks.push(value);
		bytes += value.byteLength;
	}
	return { beginning: new TextDecoder().decode(Buffer.concat(chunks)), all: both(chunks, reader) };
}

async function* both(chunks: readonly Uint8Array[], reader: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
	try {
		yield* chunks;
		for (;;) {
			const { done, value } = await reader.next();
			if (done) return;
			yield value;
		}
	} finally {
		await reader.return?.();
	}
}

/** An error in JSON of a service with this protocol: as its own answer, within the 200, within a stream. */

type Told = Pick<ToldError, "status" | "body">;

/**
 * The error that the JSON tells; undefined when it tells none. Its code may be the status that the answer would have had, had
 * it not begun. What a service behind the service has said is part of the words.
 */
export function toldErrorIn(json: unknown): Told | undefined {
	const { error, object, type, response, choices } = Object(Array.isArray(json) ? json[0] : json); // Gemini's is in a list
	const nested = Object(response).error ?? Object(Array.isArray(choices) ? choices[0] : undefined).error;
	if (error) return told(error);
	if (nested) return told(nested);
	return object === "error" || type === "error" ? told(Array.isArray(json) ? json[0] : json) : undefined;
}

function told(error: unknown): Told {
	if (typeof error === "string") return { body: { error: { message: error } } };
	const { type, object: _, code, status, message, metadata } = Object(error);
	const told = [status, code].map(Number).find((number) => Number.isInteger(number) && number >= 400 && number < 600);
	const raw = Object(metadata).raw;
	const words = [message, typeof raw === "string" ? raw : undefined].filter((word) => typeof word === "string" && word);
	const kind = type === "error" ? undefined : type;
	return {
		...(told !== undefined && { status: told }),
		body: { error: { ...Object(error), type: kind, code, ...(words.length > 0 && { message: words.join(": ") }) } },
	};
}
