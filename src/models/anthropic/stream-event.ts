/** From a server-sent event to an event of the Messages API. */
import { jsonOf } from "../messages-api/service-words.ts";
import { isStreamEvent, type StreamEvent } from "./message-assembly.ts";

/** An error as this API has it, or as gateways pass it on of the API of OpenAI, which says nothing of its type beside it. */
export function isErrorOfApi(json: unknown): boolean {
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
		throw new Error("it sent what is no event");
	return named;
}
