import { defined } from "../../core/defined.ts";
import type { ModelFailure } from "../../core/model/model.ts";
import { NO_USAGE, type Usage } from "../../core/model/usage.ts";
import { classOf, failureDetails, oneLine } from "../protocol/failure.ts";
import { jsonOf, messageIn, wordsOf } from "../protocol/service-words.ts";
import { TooLarge } from "./answer-size.ts";
import { boundedFetch, type Fetch, redirectTarget, TunnelRefused } from "./bounded-fetch.ts";
import type { BrokenBy } from "./call-bounds.ts";
import { type HttpProxy, throughProxy } from "./proxy.ts";
import { type HeaderValues, retryAfterMs } from "./rate-limit-headers.ts";

/** What an agent is told of a call that brought no answer: from the service's words, or from what broke on the way to it. */

/** An error in the words of the service. */
export interface ToldError {
	/** Absent for an error within a stream, after the status 200. */
	readonly status?: number;
	/** JSON, or the text of a body that is none. */
	readonly body: unknown;
	readonly headers: HeaderValues;
	readonly requestId?: string;
}

/** Thrown for an error that came as an event, or in place of a stream. */
export class ServiceError extends Error {
	override readonly name = "ServiceError";
	readonly told: ToldError;

	constructor(told: ToldError) {
		super(messageIn(told.body) ?? "an error");
		this.told = told;
	}
}

/** What the service told, among an error and its causes. */
export function toldIn(error: unknown): ToldError | undefined {
	return (causeOf(error, (cause) => cause instanceof ServiceError) as ServiceError | undefined)?.told;
}

/**
 * A fetch that throws for whatever the service refuses: the SDKs would keep of an error only what their own service sends. They look one
 * cause deep for a time that is over. `bodyIn`: of the text that came, its JSON in a known shape.
 */
export function throwingFetch(fetchOnce: Fetch, bodyIn: (text: string) => unknown = jsonOf): Fetch {
	const bounded = boundedFetch(fetchOnce);
	return async (url, init) => {
		const response = await bounded(url, init);
		if (response.ok) return response;
		const { status } = response;
		const text = await response.text();
		const cause = new ServiceError({ status, body: bodyIn(text) ?? text, ...factsOfAnswer(response) });
		throw new Error("refused", { cause: new Error("by the service", { cause }) });
	};
}

export interface Asked {
	/** The address that was called, and how: `https://api.anthropic.com`. */
	readonly address: string;
	/** The variable that the key came from, or another place. */
	readonly variable: string;
	/** The same with its path, as far as it was given. */
	readonly base?: string;
	/** The place of the address: `ANTHROPIC_BASE_URL`. */
	readonly addressFrom: string;
	/** The proxy that it went through. */
	readonly proxy?: HttpProxy;
	/** What is said of the model's name when the service does not know it. */
	readonly hintAboutModel?: string;
	readonly now: number;
}

export function failureOfToldError(told: ToldError, asked: Asked, usage: Usage): ModelFailure {
	const { status, body, headers, requestId } = told;
	const { variable, now } = asked;
	if (status !== undefined && status >= 300 && status < 400) return failureOfRedirect(told, asked);
	const [type, code] = typesIn(body);
	const words = wordsIn(body);
	const failureClass = classOf({ status, type, code, words });
	const { exitCode, mayRetry, isRateLimit } = failureClass;
	const facts = [status && `HTTP ${status}`, type, requestId].filter(Boolean).join(", ");
	const hint = exitCode === 77 ? `; ${hintAboutKey(variable, type)}` : hintAboutPlace(told, asked);
	const through = type === undefined ? throughProxy(asked.proxy) : ""; // it may be the proxy that answered
	const retry = mayRetry ? retryOf(headers, isRateLimit, now) : undefined;
	return {
		is: "failure",
		reason: `${oneLine(words) || "it gave no reason"}${facts && ` (${facts})`}${through}${status === 407 ? `: ${WANTS_PASSWORD}` : ""}${hint}`,
		exitCode,
		usage,
		...defined({ retry, isModelGone: saysUnknownModel(told) || undefined }),
		...failureDetails(failureClass),
	};
}

/** The service does not know the model that was asked for. */
export function saysUnknownModel({ status, body }: ToldError): boolean {
	const types = typesIn(body);
	const isUnknown = status === 404 || types.includes("not_found_error");
	return types.includes("model_not_found") || (isUnknown && /model/i.test(wordsIn(body)));
}

/** The service's own words; the whole of an answer in which they cannot be told from the rest. */
export function wordsIn(body: unknown): string {
	if (typeof body === "string") return wordsOf(body);
	const json = JSON.stringify(body) ?? "";
	return messageIn(body) ?? (json === "{}" ? "" : json);
}

type Broken = Asked & { readonly isConnected: boolean };

/** `error`: what was thrown on the way, before the answer's end. */
export function failureOfError(error: unknown, asked: Broken, usage: Usage): ModelFailure {
	const told = toldIn(error);
	return told === undefined ? failureOfBreak(error, asked, usage) : failureOfToldError(told, asked, usage);
}

function failureOfBreak(
	error: unknown,
	{ isConnected, address, addressFrom, proxy }: Broken,
	usage: Usage,
): ModelFailure {
	const tooLarge = causeOf(error, (cause) => cause instanceof TooLarge);
	if (tooLarge !== undefined) return { is: "failure", reason: oneLine(tooLarge.message), exitCode: 75, usage };
	if (isConnected) return unreachable(`the service's answer broke off: ${oneLine(causesOf(error))}`, usage);
	if (causeOf(error, ({ message }) => message === BAD_PORT) !== undefined)
		return { is: "failure", reason: `${addressFrom} ${ON_BAD_PORT}`, exitCode: 1, usage, stopsRun: true };
	const refusal = causeOf(error, (cause) => cause instanceof TunnelRefused) as TunnelRefused | undefined;
	if (refusal !== undefined && proxy !== undefined && refusal.status >= 100 && refusal.status < 500)
		return failureOfProxy(proxy, { address, status: refusal.status }, usage);
	const isUnreached =
		refusal !== undefined || causeOf(error, ({ code }) => code !== undefined && NEVER_THERE.test(code)) !== undefined;
	const failure = unreachable(
		`the service is out of reach: ${address}${throughProxy(proxy)}: ${oneLine(causesOf(error))}`,
		usage,
	);
	return isUnreached ? { ...failure, retry: { isRateLimit: false, isUnreached: true } } : failure;
}

/** By the Fetch standard the platform's fetch calls no port of other kinds of services, whoever listens there. */
const BAD_PORT = "bad port";
const ON_BAD_PORT =
	"has a port that Node blocks because it is reserved for another kind of service: use another port, or a proxy";

const WANTS_PASSWORD = "it requires a user name and password";

/** The proxy may not or will not open a tunnel, and says so at each try. */
function failureOfProxy(
	proxy: HttpProxy,
	{ address, status }: { address: string; status: number },
	usage: Usage,
): ModelFailure {
	const why = status === 407 ? `: ${WANTS_PASSWORD}` : "";
	const reason = `the proxy ${proxy.shown} (${proxy.variable}) refused the connection to ${address} (HTTP ${status})${why}`;
	return { is: "failure", reason, exitCode: 75, usage, stopsRun: "unless_answered" };
}

/** Nobody is at the address, its name is unknown, or who is there cannot prove that it is the one. */
const NEVER_THERE =
	/^(ECONNREFUSED|ENOTFOUND|EAI_\w+|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_\w+|EPROTO|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+)$/;

export function failureOfBounds(by: BrokenBy, usage: Usage, proxy?: HttpProxy): ModelFailure {
	switch (by) {
		case "stop":
			return { is: "failure", reason: "the call was stopped", exitCode: 1, usage };
		case "silence":
			return unreachable(`the service was silent for too long${throughProxy(proxy)}, so the call was abandoned`, usage);
		case "drip":
			return unreachable("the service's answer did not end, so the call was abandoned", usage);
	}
}

export function unreachable(reason: string, usage: Usage): ModelFailure {
	return { is: "failure", reason, exitCode: 75, usage, retry: { isRateLimit: false } };
}

/** A redirect within the same origin that keeps the method was followed before. */
function failureOfRedirect({ status, headers }: ToldError, { address, addressFrom }: Asked): ModelFailure {
	const to = redirectTarget(headers.get("location"), address);
	const where = to === undefined ? "to another address" : `to ${oneLine(withoutQuery(to))}`;
	const reason = `the service redirects ${where} (HTTP ${status}), and keys are sent only to the configured address: if the new one is right, set ${addressFrom} to it`;
	return { is: "failure", reason, exitCode: 1, usage: NO_USAGE };
}

function withoutQuery(address: string): string {
	const { protocol, origin, pathname } = new URL(address);
	return /^https?:$/.test(protocol) ? `${origin}${pathname}` : `${protocol.slice(0, -1)} instead of http`;
}

/** A service that knows neither the model nor its own path was asked for another model, or at another address, than it has. */
function hintAboutPlace(told: ToldError, { address, base = address, addressFrom, hintAboutModel = "" }: Asked): string {
	if (saysUnknownModel(told)) return hintAboutModel;
	return told.status === 404 || told.status === 405 ? `; the address was ${base}: check ${addressFrom}` : "";
}

/** An answer of the API has an error with a type; a page of a proxy has none. */
function hintAboutKey(variable: string, type: string | undefined): string {
	if (type !== undefined) return `the service refuses the key: check ${variable}`;
	return `the service refuses the key, or something in front of it refuses the call: check ${variable}, proxy and address`;
}

/** Whether and when to retry; undefined when the service says itself that a retry is of no use. */
function retryOf(headers: HeaderValues, isRateLimit: boolean, now: number): ModelFailure["retry"] {
	if (headers.get("x-should-retry") === "false") return undefined;
	const afterMs = retryAfterMs(headers, now);
	return { isRateLimit, ...defined({ afterMs }) };
}

/** The words of `{ error: { type: "overloaded_error" } }`; some services have a code, too, which says more, or in its place. */
function typesIn(body: unknown): string[] {
	const error = Object(Object(body).error);
	return [error.code, error.type].filter((word) => typeof word === "string" && /^[a-z]\w{1,80}$/i.test(word));
}

/** `Connection error: fetch failed: connect ECONNREFUSED 127.0.0.1:9`: the innermost cause is the one that helps. */
export function causesOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
	return error.cause === undefined ? own : `${own.replace(/\.$/, "")}: ${causesOf(error.cause)}`;
}

/** The first of an error and its causes that fits. */
function causeOf(error: unknown, fits: (cause: NodeJS.ErrnoException) => boolean): Error | undefined {
	for (let cause: unknown = error, n = 0; cause instanceof Error && n < 10; cause = cause.cause, n++)
		if (fits(cause)) return cause;
	return undefined;
}

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
