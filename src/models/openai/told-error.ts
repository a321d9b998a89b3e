/** An error in JSON of a service with this protocol: as its own answer, within the 200, within a stream. */
import type { ToldError } from "../service/call-failure.ts";

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
