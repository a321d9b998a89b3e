import { expect, test } from "vitest";
import {
	coversHosts,
	type HostPattern,
	matchesHost,
	patternFor,
	readHostPattern,
} from "../../../../src/core/machine/host-pattern.ts";

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
