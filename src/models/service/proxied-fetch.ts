/**
 * A fetch through a proxy, over node:http, since fetch of Node 20 takes no proxy. An https address is reached through a tunnel;
 * for an http one the proxy itself makes the request. It asks for no compression, so it decompresses nothing.
 */
import { setMaxListeners } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";
import { anyResponse, type Fetch, TunnelRefused } from "./bounded-fetch.ts";

/** `proxy`: its URL. `address`: the service's. */
export function proxiedFetch(proxy: string, address: string): Fetch {
	const isTunnel = new URL(address).protocol === "https:";
	const send = isTunnel ? httpsRequest : httpRequest;
	return (url, { method = "GET", headers, body, signal }) =>
		new Promise((resolve, reject) => {
			const fail = (cause: unknown) => reject(new TypeError("fetch failed", { cause }));
			if (signal) setMaxListeners(0, signal); // a call that is redirected makes several requests
			signal?.addEventListener("abort", () => fail(signal.reason), { once: true }); // a request without a socket says nothing of it
			const ended = signal ? { signal } : {};
			// One agent a call: only its options reach a connection that is being made, which ends with the call.
			const agent = isTunnel ? new HttpsProxyAgent(proxy, ended) : new HttpProxyAgent(proxy, ended);
			const sent = send(url, { method, agent, headers: Object.fromEntries(new Headers(headers)), ...ended });
			sent.on("error", fail);
			sent.on("proxyConnect", ({ statusCode }: { statusCode: number }) => {
				if (statusCode !== 200) giveUp(sent, new TunnelRefused(statusCode));
			});
			sent.on("response", (incoming) => resolve(responseOf(incoming)));
			sent.end(body);
		});
}

/** The agent would give the proxy's answer for the service's. */
function giveUp(sent: ClientRequest, error: Error): void {
	sent.once("socket", (socket) => socket.on("error", () => {}));
	sent.destroy(error);
}

function responseOf(incoming: IncomingMessage): Response {
	const { statusCode = 0, rawHeaders } = incoming;
	const headers = new Headers();
	for (let n = 0; n + 1 < rawHeaders.length; n += 2) headers.append(rawHeaders[n] ?? "", rawHeaders[n + 1] ?? "");
	return anyResponse(Readable.toWeb(incoming) as ReadableStream, { status: statusCode, headers });
}
