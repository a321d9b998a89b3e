import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { boundedFetch } from "../../../../src/models/service/bounded-fetch.ts";
import { causesOf, failureOfError } from "../../../../src/models/service/call-failure.ts";

const HOST = "https://a.example/v1/messages";

/** Fetches from a service that answers by address, and gives what came and where the calls went. */
async function fetchFrom(answers: Record<string, Response>) {
	const called: unknown[] = [];
	const fetchOnce = async (url: string, { redirect, body }: RequestInit) => {
		called.push([url, redirect, body]);
		return answers[url] ?? new Response("end");
	};
	return { response: await boundedFetch(fetchOnce)(HOST, { body: "asked" }), called };
}

const redirect = (status: number, location: string) => new Response("gone", { status, headers: { location } });

test.each([307, 308])("a redirect with %i within the same origin is followed with the same body", async (status) => {
	const { response, called } = await fetchFrom({ [HOST]: redirect(status, "/v2/messages") });
	expect([response.status, await response.text()]).toEqual([200, "end"]);
	expect(called).toEqual([
		[HOST, "manual", "asked"],
		["https://a.example/v2/messages", "manual", "asked"],
	]);
});

test.each([
	["another host", 307, "https://b.example/v1/messages"],
	["another port", 308, "https://a.example:8443/v1/messages"],
	["another scheme", 307, "http://a.example/v1/messages"],
	["another host, without a scheme", 307, "//b.example/"],
	["a name and password", 307, "https://a.example@b.example/"],
	["the same host with a password", 307, "https://me:word@a.example/"],
	["another method", 302, "/v2/messages"],
	["what is no address", 307, "http://"],
])("a redirect to %s is not followed", async (_, status, location) => {
	const { response, called } = await fetchFrom({ [HOST]: redirect(status, location) });
	expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
		status,
		location,
		"gone",
	]);
	expect(called.length).toBe(1);
});

test("redirects in a circle come to an end", async () => {
	const { response, called } = await fetchFrom({
		get [HOST]() {
			return redirect(307, HOST);
		},
	});
	expect([response.status, called.length]).toEqual([307, 6]);
});

// Seen to fail ("Request timed out.", and tried for ten minutes) with the error as fetch throws it.
test("an error of fetch keeps its causes before the SDK, whatever it says of time", async () => {
	const cause = Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" });
	const client = new Anthropic({
		apiKey: "k",
		maxRetries: 0,
		fetch: boundedFetch(() => Promise.reject(new TypeError("fetch failed", { cause }))) as typeof fetch,
	});
	const thrown = await client.messages.create({ model: "m", max_tokens: 1, messages: [] }).catch((error) => error);
	expect(
		failureOfError(
			thrown,
			{ isConnected: false, address: "http://a", variable: "K", addressFrom: "A", now: 0 },
			NO_USAGE,
		),
	).toMatchObject({
		reason: expect.stringMatching(
			/^the service is out of reach: http:\/\/a: .*fetch failed: no connection: Connect Timeout Error$/,
		),
		retry: { isUnreached: true },
	});
	for (const name of ["AbortError", "TimeoutError"]) {
		const ended = new DOMException("stop", name);
		await expect(boundedFetch(() => Promise.reject(ended))(HOST, {})).rejects.toBe(ended);
	}
});

test("a connection that ended for no reason is told with the one that is likely", async () => {
	const failing = boundedFetch(() => Promise.reject(new TypeError("fetch failed", { cause: new Error() })));
	const error = await failing("http://a", {}).catch(causesOf);
	expect(error).toMatch(/^fetch failed: no connection: unknown reason; .* \(HTTP 407\)$/);
});
