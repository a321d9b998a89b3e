/** The input of a call, from the JSON that the model wrote: taken as it is, or told to the model as unreadable, never mended. */
import { unreadableInput } from "../messages-api/valid-content.ts";
import { isSendable } from "../service/answer-size.ts";

/** Arguments that are empty are no arguments. */
export function inputOf(json: string): unknown {
	if (json.trim() === "") return {};
	const input = parsed(json);
	return isObject(input) && isSendable(input) ? input : unreadableInput(json);
}

/** Undefined for a text that is no JSON. */
export function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
