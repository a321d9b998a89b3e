/**
 * The fetch of all calls to a service. A key goes to no other host, port or scheme than the one that it was given with: a
 * redirect is followed only within the same origin, and only when it keeps method and body (307, 308); any other is left to
 * the caller as the answer that it is. The body of an answer that is none is read here, cut in size and time: it is words
 * for a person, and may be a bomb or never end. The body of a stream is left to its reader, which has bounds of its own.
 */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Thrown when a proxy opens no tunnel, with the status that it answered with. */
export class TunnelRefused extends Error {
	override readonly name = "TunnelRefused";
	readonly status: number;

	constructor(status: number) {
		super(status >= 100 ? `the proxy refused the connection (HTTP ${status})` : "the proxy's answer is not HTTP");
		this.status = status;
	}
}

const MAX_REDIRECTS = 5;
const KEEP_METHOD = [307, 308];
const WORDS_BYTES = 64 * 1024;
const WORDS_MS = 5_000;

export const boundedFetch = (given: Fetch): Fetch => {
	const fetchOnce: Fetch = (url, init) => given(url, init).catch(deepen);
	return async (url, init) => {
		let response = await fetchOnce(url, { ...init, redirect: "manual" });
		let from = url;
		for (let n = 0; n < MAX_REDIRECTS; n++) {
			const to = sameOriginTarget(response, from);
			if (to === undefined) break;
			await response.body?.cancel();
			response = await fetchOnce(to, { ...init, redirect: "manual" });
			from = to;
		}
		return response.ok && response.body !== null ? response : withWords(response);
	};
};

/** The SDK looks one cause deep for a time that is over, and drops the causes of such an error: which name, which address. */
function deepen(error: unknown): never {
	if (!(error instanceof Error) || ["AbortError", "TimeoutError"].includes(error.name)) throw error;
	const cause = error.cause ?? error;
	const told = cause instanceof Error && isSilent(cause) ? new Error(NO_REASON) : cause;
	throw new Error("fetch failed", { cause: new Error("no connection", { cause: told }) });
}

/** The status 407 is for proxies alone, so fetch takes it for no answer, and says nothing of it. */
const NO_REASON = "unknown reason; a proxy may require a user name and password (HTTP 407)";

function isSilent(error: Error): boolean {
	return error.message === "" && !("code" in error);
}

/** Where an answer redirects to, as an absolute address; undefined when it does not, or to what is no address. */
export function redirectTarget(location: string | null | undefined, from: string): string | undefined {
	return location && URL.canParse(location, from) ? new URL(location, from).href : undefined;
}

function sameOriginTarget({ status, headers }: Response, from: string): string | undefined {
	const to = KEEP_METHOD.includes(status) ? redirectTarget(headers.get("location"), from) : undefined;
	if (to === undefined) return undefined;
	const { origin, username, password } = new URL(to);
	const hasCredentials = username !== "" || password !== ""; // fetch takes no such address
	return origin === new URL(from).origin && !hasCredentials ? to : undefined;
}

/** The same answer with the beginning of its body. */
async function withWords(response: Response): Promise<Response> {
	const { status, headers } = response;
	return anyResponse(await beginningOf(response), { status, headers });
}

/** What comes of a body within 5 s, up to 64 KiB after decompression. Never rejects: what came before it broke is enough. */
export async function beginningOf({ body }: Response): Promise<string> {
	const reader = body?.getReader();
	if (reader === undefined) return "";
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	const timer = setTimeout(() => void reader.cancel().catch(() => {}), WORDS_MS); // a pending read then ends
	try {
		while (bytes < WORDS_BYTES) {
			const { done, value } = await reader.read();
			if (done) break;
			chunks.push(value);
			bytes += value.byteLength;
		}
	} catch {
	} finally {
		clearTimeout(timer);
		void reader.cancel().catch(() => {});
	}
	return Buffer.concat(chunks).subarray(0, WORDS_BYTES).toString("utf8");
}

/**
 * A Response of whatever a service answers. The constructor takes the statuses from 200 to 599 alone, and no body with some of
 * them; servers send 600 or 999 all the same. The reason phrase is left out: nobody reads it, and it may have any bytes in it.
 */
const NO_BODY = [204, 205, 304];
const KNOWN = { least: 200, most: 599 };

export function anyResponse(
	body: ReadableStream | string,
	{ status, headers }: { status: number; headers: Headers },
): Response {
	const isKnown = status >= KNOWN.least && status <= KNOWN.most;
	const response = new Response(NO_BODY.includes(status) ? null : body, {
		status: isKnown ? status : KNOWN.most,
		headers,
	});
	return isKnown ? response : Object.defineProperty(response, "status", { value: status });
}
