import { expect, test } from "vitest";
import {
	connectTarget,
	plainTarget,
	type RequestTarget,
	requestHeaders,
	responseHeaders,
} from "../../../../src/supervisor/proxy/requests.ts";

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

const said = (target: RequestTarget) =>
	target.is === "wrong" ? "wrong" : `${target.to.host} ${target.to.port} ${target.authority} ${target.path}`.trim();

test.each<[string, string]>([
	["example.org:443", "example.org 443 example.org:443"],
	["EXAMPLE.org.:443", "example.org 443 example.org:443"],
	["[::1]:443", "[::1] 443 [::1]:443"],
	["[::ffff:127.0.0.1]:443", "127.0.0.1 443 127.0.0.1:443"],
	["0x7f.1:22", "127.0.0.1 22 127.0.0.1:22"],
	["example.org:00443", "example.org 443 example.org:443"],
	...[
		...["example.org", "example.org:", "example.org:0", "example.org:65536", "example.org:443x", "example.org:+443"],
		...[
			"example.org:443/",
			"user@example.org:443",
			"user:pass@example.org:443",
			"http://example.org:443",
			"/",
			"*",
			"",
		],
		...["ex%61mple.org:443", "bücher.example:443", "[::1]", "::1:443", "[fe80::1%25lo]:443", "example.org:443:443"],
		...["exa mple.org:443", "example.org.evil.org@x:443", "example.org\0.evil.org:443", "example.org..:443", ".:443"],
	].map((text): [string, string] => [text, "wrong"]),
])("CONNECT %s: %s", (text, expected) => {
	expect(said(connectTarget(text))).toBe(expected);
});

test.each<[string, string]>([
	["http://example.org/a?b=c", "example.org 80 example.org /a?b=c"],
	["HTTP://Example.ORG", "example.org 80 example.org /"],
	["http://example.org:80/", "example.org 80 example.org /"],
	["http://example.org:8080?q", "example.org 8080 example.org:8080 /?q"],
	["http://example.org./x", "example.org 80 example.org /x"],
	["http://[::1]:8080/x", "[::1] 8080 [::1]:8080 /x"],
	["http://example.org//evil.org/", "example.org 80 example.org //evil.org/"],
	["http://example.org/?http://evil.org/", "example.org 80 example.org /?http://evil.org/"],
	["http://example.org/a@b", "example.org 80 example.org /a@b"],
	...[
		...[
			"/",
			"/path",
			"*",
			"",
			"example.org",
			"example.org:80",
			"//example.org/",
			"https://example.org/",
			"ftp://example.org/",
		],
		...[
			"ws://example.org/",
			"http:/example.org/",
			"http:example.org",
			"http://",
			"http:///x",
			"http://:80/",
			"http://user@example.org/",
		],
		...[
			"http://example.org@evil.org/",
			"http://example.org:80@evil.org/",
			"http://evil.org\\@example.org/",
			"http://example.org#@evil.org/",
		],
		...[
			"http://ex%61mple.org/",
			"http://example.org%00.evil.org/",
			"http://example.org:0/",
			"http://example.org:99999/",
			"http://[::1/",
		],
		...["http://example.org:80:80/", " http://example.org/", "http://example.org/#x"],
	].map((text): [string, string] => [text, "wrong"]),
])("a plain request for %s: %s", (text, expected) => {
	expect(said(plainTarget(text))).toBe(expected);
});
