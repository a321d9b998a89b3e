import { expect, test } from "vitest";
import { requestHeaders, responseHeaders } from "../../../../src/supervisor/proxy/forwarded-headers.ts";

function message(...pairs: [string, string][]) {
	const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
	return { rawHeaders: pairs.flat(), headers };
}

test("a request goes on with the host of its target, and without what is of the one connection", () => {
	const asked = message(
		["Host", "evil.org"],
		["Accept", "*/*"],
		["Proxy-Authorization", "Basic c2VjcmV0"],
		["Proxy-Connection", "keep-alive"],
		["Connection", "keep-alive, X-Hop"],
		["X-Hop", "1"],
		["Upgrade", "h2c"],
		["TE", "trailers"],
		["Content-Length", "5"],
	);
	const expected = ["Host", "example.org", "Accept", "*/*", "Content-Length", "5", "Connection", "close"];
	expect(requestHeaders(asked, "example.org")).toEqual(expected);
});

test("a body without a length goes on in chunks, and no length stands beside them", () => {
	const asked = message(["Transfer-Encoding", "chunked"], ["Content-Length", "5"]);
	const expected = ["Host", "example.org", "Transfer-Encoding", "chunked", "Connection", "close"];
	expect(requestHeaders(asked, "example.org")).toEqual(expected);
});

test("a Connection header cannot take the length from a body", () => {
	const asked = message(["Connection", "Content-Length"], ["Content-Length", "5"]);
	expect(requestHeaders(asked, "example.org")).toContain("Content-Length");
});

test("an answer keeps headers that come twice, and cannot speak for the proxy", () => {
	const got = message(
		["Set-Cookie", "a"],
		["Set-Cookie", "b"],
		["Proxy-Status", "agentree; error=x"],
		["Connection", "close"],
	);
	expect(responseHeaders(got)).toEqual(["Set-Cookie", "a", "Set-Cookie", "b"]);
});
