/** The input of a call, from the JSON that the model wrote: taken as it is, or told to the model as unreadable, never mended. */
import { jsonOf } from "../../messages-api/service-words.ts";
import { isObject, unreadableInput } from "../../messages-api/valid-content.ts";
import { isSendable } from "../../service/answer-size.ts";

/** Arguments that are empty are no arguments. */
export function inputOf(json: string): unknown {
	if (json.trim() === "") return {};
	const input = jsonOf(json);
	return isObject(input) && isSendable(input) ? input : unreadableInput(json);
}
