import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { messageIn, wordsOf } from "../../../../src/models/protocol/service-words.ts";
import { TunnelRefused } from "../../../../src/models/service/bounded-fetch.ts";
import {
	type Asked,
	failureOfError,
	failureOfToldError,
	type ToldError,
} from "../../../../src/models/service/call-failure.ts";
import { cpuMs } from "../../cpu-ms.ts";
import { rowsOf } from "../../rows-of.ts";

const ASKED: Asked = { address: "https://a.example", variable: "THE_KEY", addressFrom: "THE_ADDRESS", now: 0 };
const told = (status: number | undefined, body: unknown, headers: Record<string, string> = {}) => {
	const error: ToldError = { body, headers: new Headers(headers), ...(status !== undefined && { status }) };
	return failureOfToldError(error, ASKED, NO_USAGE);
};
const PAGE =
	"<!doctype html><html><head><title>Hotel</title><style>b{}</style></head>\n<body><p>Log\u202e in\u001b[31m first</body>";

/** The status, or none within a stream; what was sent; the exit code; what is told. */
test.each(
	rowsOf(`
	404 | {"error":{"type":"not_found_error","message":"model: x"}} | 1 | model: x (HTTP 404, not_found_error)
	400 | {"message":"no route"} | 1 | no route (HTTP 400)
	422 | {"error":"bad input"} | 1 | bad input (HTTP 422)
	422 | {"detail":[{"msg":"x","message":"field required"}]} | 1 | field required (HTTP 422)
	404 | {"error":{"message":"no","type":null,"code":"model_not_found"}} | 1 | no (HTTP 404, model_not_found)
	404 | "no page" | 1 | no page (HTTP 404); the address was https://a.example: check THE_ADDRESS
	503 | PAGE | 75 | Hotel Log in [31m first (HTTP 503)
	502 | "" | 75 | it gave no reason (HTTP 502)
	500 | {} | 75 | it gave no reason (HTTP 500)
	500 | {"a":1} | 75 | {"a":1} (HTTP 500)
	403 | PAGE | 77 | Hotel Log in [31m first (HTTP 403); the service refuses the key, or something in front of it refuses the call: check THE_KEY, proxy and address
	none | {"type":"error","error":{"type":"overloaded_error","message":"Busy"}} | 75 | Busy (overloaded_error)
	none | {"type":"error","message":"it broke"} | 75 | it broke`),
)("an error with the status %s is told in its own words: %s", (status, body = "", exitCode, reason) => {
	const sent = body === "PAGE" ? PAGE : JSON.parse(body);
	expect(told(status === "none" ? undefined : Number(status), sent)).toMatchObject({
		...{ is: "failure", reason, exitCode: Number(exitCode) },
	});
});

test("a redirect is final, and its failure names where it leads, without what may be secret there", () => {
	expect(told(302, "moved", { location: "http://u:p@b.example/login?token=1" })).toEqual({
		is: "failure",
		reason:
			"the service redirects to http://b.example/login (HTTP 302), and keys are sent only to the configured address: if the new one is right, set THE_ADDRESS to it",
		exitCode: 1,
		usage: NO_USAGE,
	});
	expect(told(307, "", { location: "data:text/plain,x" }).reason).toMatch(
		/^the service redirects to data instead of http/,
	);
	expect(told(301, "moved").reason).toMatch(/^the service redirects to another address \(HTTP 301\)/);
});

const thrown = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const BEFORE = { ...ASKED, isConnected: false };

test.each([
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"EHOSTUNREACH",
	"UND_ERR_CONNECT_TIMEOUT",
	"CERT_HAS_EXPIRED",
	"DEPTH_ZERO_SELF_SIGNED_CERT",
])("a call that met %s has reached nobody, and its failure names the address", (code) => {
	const error = new Error("Connection error.", { cause: new Error("fetch failed", { cause: thrown(code) }) });
	expect(failureOfError(error, BEFORE, NO_USAGE)).toEqual({
		is: "failure",
		reason: `the service is out of reach: https://a.example: Connection error: fetch failed: connect ${code}`,
		exitCode: 75,
		usage: NO_USAGE,
		retry: { isRateLimit: false, isUnreached: true },
	});
});

test("a connection that was reset or broke off had somebody at its other end", () => {
	const retry = { isRateLimit: false };
	expect(failureOfError(thrown("ECONNRESET"), BEFORE, NO_USAGE)).toMatchObject({ exitCode: 75, retry });
	expect(failureOfError(thrown("ECONNREFUSED"), { ...BEFORE, isConnected: true }, NO_USAGE)).toMatchObject({
		reason: "the service's answer broke off: connect ECONNREFUSED",
		retry,
	});
});

test("a proxy that opens no tunnel is named: asked again only when it may find the service later", () => {
	const proxy = { url: "http://me:secret@p:1/", shown: "http://p:1", variable: "HTTPS_PROXY" };
	const refused = (status: number) => {
		const error = new TypeError("fetch failed", { cause: new TunnelRefused(status) });
		return failureOfError(error, { ...BEFORE, proxy }, NO_USAGE);
	};
	expect(refused(403)).toEqual({
		...{ is: "failure", exitCode: 75, usage: NO_USAGE, stopsRun: "unless_answered" },
		reason: "the proxy http://p:1 (HTTPS_PROXY) refused the connection to https://a.example (HTTP 403)",
	});
	expect(refused(502)).toEqual({
		...{ is: "failure", exitCode: 75, usage: NO_USAGE, retry: { isRateLimit: false, isUnreached: true } },
		reason: expect.stringMatching(
			/^the service is out of reach: https:\/\/a\.example through the proxy http:\/\/p:1 \(HTTPS_PROXY\): .*\(HTTP 502\)$/,
		),
	});
});

test("a page that a proxy may have sent in place of the service is told with it, an answer of the API is not", () => {
	const proxy = { url: "http://p:1/", shown: "http://p:1", variable: "HTTP_PROXY" };
	const reason = (status: number, body: unknown) =>
		failureOfToldError({ status, body, headers: new Headers() }, { ...ASKED, proxy }, NO_USAGE).reason;
	expect(reason(502, "Bad Gateway")).toBe("Bad Gateway (HTTP 502) through the proxy http://p:1 (HTTP_PROXY)");
	expect(reason(407, "")).toMatch(
		/through the proxy http:\/\/p:1 \(HTTP_PROXY\): it requires a user name and password/,
	);
	expect(reason(529, { error: { type: "overloaded_error", message: "Overloaded" } })).not.toContain("proxy");
});

test.each<[unknown, string | undefined]>([
	[{ type: "error", error: { type: "t", message: "of the API" } }, "of the API"],
	[{ message: "outer", error: { message: "inner" } }, "inner"],
	[{ error: "in a word" }, "in a word"],
	[{ error: "invalid_client", error_description: "in a sentence" }, "in a sentence"],
	[[{ error: { message: "in a list" } }], "in a list"],
	[{ Message: "as AWS writes it" }, "as AWS writes it"],
	[{ message: " " }, undefined],
	[{ message: { message: { message: { message: { message: { message: "too deep" } } } } } }, undefined],
	[{ a: 1 }, undefined],
	[7, undefined],
])("the message in %j", (json, message) => {
	expect(messageIn(json)).toBe(message);
});

test("of a page only what it shows is told, of anything else the text", () => {
	expect(wordsOf("<html><script>x</script><p>Please&nbsp;log in</p><!-- no").replace(/\s+/g, " ").trim()).toBe(
		"Please log in",
	);
	expect(wordsOf("upstream < connect error")).toBe("upstream < connect error");
	expect(wordsOf("<html></html>")).toBe("<html></html>");
	expect(wordsOf('{"error":{"message":"said"}}')).toBe("said");
});

// Seen to fail (10 s) when a script that is not closed was looked for from each `<script`.
test("a page of unclosed tags takes no long time", () => {
	const readAll = () => {
		for (const tag of ["<script ", "<!--", "<style>", "<p"]) wordsOf(`<html>${tag.repeat(10_000)}`);
	};
	expect(cpuMs(readAll)).toBeLessThan(10_000);
});
