import { expect, test } from "vitest";
import {
	addressOfHost,
	coversHosts,
	type HostPattern,
	hostName,
	hostOfAddress,
	matchesHost,
	patternFor,
	readHostPattern,
} from "../../../../src/core/machine/host-pattern.ts";

test.each([
	["example.org", "example.org"],
	["EXAMPLE.Org", "example.org"],
	["example.org.", "example.org"],
	["bücher.example", "xn--bcher-kva.example"],
	["XN--BCHER-KVA.example", "xn--bcher-kva.example"],
	["ｅｘａｍｐｌｅ.org", "example.org"],
	["my_host", "my_host"],
	["127.0.0.1", "127.0.0.1"],
	["127.1", "127.0.0.1"],
	["2130706433", "127.0.0.1"],
	["0x7f.0.0.1", "127.0.0.1"],
	["0177.0.0.1", "127.0.0.1"],
	["[::1]", "[::1]"],
	["[0:0:0:0:0:0:0:1]", "[::1]"],
	["[::FFFF:127.0.0.1]", "127.0.0.1"],
	["[::ffff:7f00:1]", "127.0.0.1"],
])("the host %s has the one spelling %s", (text, host) => {
	expect(hostName(text)).toBe(host);
});

test.each([
	"",
	".",
	"..",
	"a..b",
	".example.org",
	"example.org..",
	"ex%61mple.org",
	"user@example.org",
	"example.org:80",
	"example.org/",
	"example.org\\@evil.org",
	"exa mple.org",
	"exa\tmple.org",
	"example.org\r\nHost: evil.org",
	"example.org\0",
	"example.org#x",
	"example.org?x",
	"*.example.org",
	"a,b",
	"[::1",
	"::1",
	"[::1%25eth0]",
	"[fe80::1%eth0]",
	"[::1]:80",
	"1.2.3.256",
	"1.2.3.4.5",
	"-a.example",
	`${"a".repeat(64)}.example`,
	`${"a.".repeat(130)}example`,
])("%j is no host", (text) => {
	expect(hostName(text)).toBeUndefined();
});

test("an address is told from a name", () => {
	expect(["127.0.0.1", "[::1]", "example.org", "1.example"].map(addressOfHost)).toEqual([
		...["127.0.0.1", "::1", undefined, undefined],
	]);
});

test("an address that a name leads to is a host in the one spelling", () => {
	expect(["10.0.0.1", "::ffff:10.0.0.1", "FE80::1%eth0", "2001:DB8::0:1", "no address"].map(hostOfAddress)).toEqual([
		...["10.0.0.1", "10.0.0.1", "[fe80::1]", "[2001:db8::1]", undefined],
	]);
});

function pattern(text: string): HostPattern {
	const read = readHostPattern(text);
	if (read === undefined) throw new Error(`no pattern: ${text}`);
	return read;
}

test.each([
	["example.org", "example.org:443 example.org:80"],
	["EXAMPLE.org.", "example.org:443 example.org:80"],
	["example.org:8080", "example.org:8080"],
	["example.org:*", "example.org:443 example.org:80 example.org:8080 example.org:22"],
	["*.example.org", "a.example.org:443 a.b.example.org:443"],
	["*.example.org:22", "a.example.org:22"],
	["*", "example.org:443 example.org:80 a.example.org:443 a.b.example.org:443 badexample.org:443 localhost:80"],
	["127.0.0.1:*", "127.0.0.1:8080"],
	["[::1]:9", "[::1]:9"],
])("%s allows %s, and nothing else", (text, allowed) => {
	const asked = [
		...["example.org:443", "example.org:80", "example.org:8080", "example.org:22", "a.example.org:443"],
		...["a.b.example.org:443", "a.example.org:22", "badexample.org:443", "127.0.0.1:8080", "10.0.0.1:80"],
		...["[::1]:9", "localhost:80"],
	];
	const matched = asked.filter((target) => {
		const [, host = "", port] = /^(.*):(\d+)$/.exec(target) ?? [];
		return matchesHost(pattern(text), { host, port: Number(port) });
	});
	expect(matched.sort()).toEqual(allowed.split(" ").sort());
});

test.each([
	...[
		"",
		"*.",
		"*.*",
		"a.*.example",
		"exa*mple.org",
		"**",
		"*.*.example.org",
		"*example.org",
		"*.127.0.0.1",
		"*.[::1]",
	],
	...["example.org:", "example.org:0", "example.org:65536", "example.org:http", "example.org:-1", "http://example.org"],
	...["user@example.org", "example.org/path", "10.0.0.0/8", "::1", "[::1", "a b", "ex%61mple.org", "example.org:80:80"],
])("%j is no pattern", (text) => {
	expect(readHostPattern(text)).toBeUndefined();
});

test.each([
	["*", "example.org", true],
	["*", "*.example.org", true],
	["*", "*", true],
	["*", "10.0.0.1", false],
	["*", "example.org:22", false],
	["*:*", "example.org:22", true],
	["*.example.org", "*.example.org", true],
	["*.example.org", "*.a.example.org", true],
	["*.example.org", "a.example.org:443", true],
	["*.example.org", "example.org", false],
	["*.a.example.org", "*.example.org", false],
	["*.example.org", "badexample.org", false],
	["example.org", "example.org:443", true],
	["example.org", "example.org:8443", false],
	["example.org:443", "example.org", false],
	["example.org", "example.org:*", false],
	["a.example.org", "*.a.example.org", false],
	["*.example.org", "*", false],
])("what %s allows covers %s: %s", (outer, inner, isCovered) => {
	expect(coversHosts(pattern(outer), pattern(inner))).toBe(isCovered);
});

test("a host is named as it would stand in a pattern", () => {
	expect([443, 80, 22].map((port) => patternFor({ host: "example.org", port }))).toEqual([
		...["example.org", "example.org", "example.org:22"],
	]);
});
