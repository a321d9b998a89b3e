/** What came in place of a stream of events: an error of the API, or a page or JSON of whoever stands between. */
import { defined } from "../../core/defined.ts";
import { oneLine } from "../messages-api/failure.ts";
import { jsonOf, wordsOf } from "../messages-api/service-words.ts";
import { ServiceError } from "./call-failure.ts";

/** JSON or a page, by its type. Other types are read: some gateways send events as `text/plain`, or as bytes. */
export function isDocument({ headers }: Response): boolean {
	const type = headers.get("content-type");
	return type !== null && !isStream(type) && /json|html|xml/i.test(type);
}

/** The error that the words tell, which are what came or its beginning. `isError`: whether JSON is an error of the API. */
export function noStream(response: Response, words: string, isError: (json: unknown) => boolean): Error {
	const json = jsonOf(words);
	if (isError(json)) return new ServiceError({ body: json, ...factsOfAnswer(response) });
	const type = response.headers.get("content-type");
	const what = type === null || isStream(type) ? "not an event stream" : `${oneLine(type)}, not an event stream`;
	const said = oneLine(wordsOf(words));
	return new Error(`it is ${what}${said && `: ${said}`}`);
}

function isStream(type: string): boolean {
	return type.toLowerCase().includes("text/event-stream");
}

/** What an answer tells beside its content. */
export function factsOfAnswer({ headers }: { headers: Headers }) {
	const requestId = headers.get("request-id") ?? headers.get("x-request-id") ?? undefined;
	return { headers, ...defined({ requestId }) };
}
