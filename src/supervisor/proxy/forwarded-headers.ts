/** The headers that go on with a request or an answer: all but those of one connection alone (RFC 9110, 7.6.1). Pure. */

/** `proxy-status` only this proxy says. `expect` has been answered. An upgrade is asked for with CONNECT. */
const OF_ONE_CONNECTION = new Set([
	...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "proxy-status"],
	...["te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "expect"],
]);

/** Names and values in turn, as Node has them in `rawHeaders`. */
type RawHeaders = readonly string[];

interface MessageHeaders {
	readonly rawHeaders: RawHeaders;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The host is that of the target, whatever the client has said; a body of unknown length goes on as one. */
export function requestHeaders(message: MessageHeaders, authority: string): string[] {
	const isChunked = message.headers["transfer-encoding"] !== undefined;
	return [
		...["Host", authority],
		...withoutNames(message, ["host", ...(isChunked ? ["content-length"] : [])]),
		...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
		...["Connection", "close"],
	];
}

export function responseHeaders(message: MessageHeaders): string[] {
	return withoutNames(message, []);
}

function withoutNames({ rawHeaders, headers }: MessageHeaders, more: readonly string[]): string[] {
	const named = String(headers.connection ?? "")
		.toLowerCase()
		.split(",")
		.map((name) => name.trim());
	const left = new Set([...OF_ONE_CONNECTION, ...named.filter((name) => name !== "content-length"), ...more]);
	const kept: string[] = [];
	for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
		const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
		if (!left.has(name.toLowerCase())) kept.push(name, value);
	}
	return kept;
}
