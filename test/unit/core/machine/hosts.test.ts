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
import { rowsOf } from "../../rows-of.ts";

/** As they are written, and in the one spelling. */
test.each(
	rowsOf(`
	example.org | example.org
	EXAMPLE.Org | example.org
	example.org. | example.org
	bücher.example | xn--bcher-kva.example
	XN--BCHER-KVA.example | xn--bcher-kva.example
	ｅｘａｍｐｌｅ.org | example.org
	my_host | my_host
	127.0.0.1 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 [::FFFF:127.0.0.1] [::ffff:7f00:1] | 127.0.0.1
	[::1] [0:0:0:0:0:0:0:1] | [::1]`),
)("the host %s has the one spelling %s", (texts = "", host) => {
	for (const text of texts.split(" ")) expect(hostName(text)).toBe(host);
});

const NO_NAMES =
	". .. a..b .example.org example.org.. ex%61mple.org user@example.org example.org:80 example.org/ example.org\\@evil.org";
const NO_HOSTS =
	"example.org#x example.org?x *.example.org a,b [::1 ::1 [::1%25eth0] [fe80::1%eth0] [::1]:80 1.2.3.256 1.2.3.4.5 -a.example";
const NO_TEXTS = ["", "exa mple.org", "exa\tmple.org", "example.org\r\nHost: evil.org", "example.org\0"];

test.each([
	...NO_NAMES.split(" "),
	...NO_HOSTS.split(" "),
	...NO_TEXTS,
	`${"a".repeat(64)}.example`,
	`${"a.".repeat(130)}example`,
])("%j is no host", (text) => expect(hostName(text)).toBeUndefined());

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

const NO_STARS = "*. *.* a.*.example exa*mple.org ** *.*.example.org *example.org *.127.0.0.1 *.[::1]";
const NO_PORTS = "example.org: example.org:0 example.org:65536 example.org:http example.org:-1 example.org:80:80";
const NO_PATTERNS = "http://example.org user@example.org example.org/path 10.0.0.0/8 ::1 [::1 ex%61mple.org";

test.each(["", "a b", ...`${NO_STARS} ${NO_PORTS} ${NO_PATTERNS}`.split(" ")])("%j is no pattern", (text) => {
	expect(readHostPattern(text)).toBeUndefined();
});

/** What a pattern covers, and what it does not. */
test.each(
	rowsOf(`
	* | example.org *.example.org * | 10.0.0.1 example.org:22
	*:* | example.org:22 | 10.0.0.1:22
	*.example.org | *.example.org *.a.example.org a.example.org:443 | example.org badexample.org *
	*.a.example.org | *.a.example.org | *.example.org
	example.org | example.org:443 | example.org:8443 example.org:*
	example.org:443 | example.org:443 | example.org
	a.example.org | a.example.org | *.a.example.org`),
)("what %s allows covers %s, and not %s", (outer = "", covered = "", others = "") => {
	const isCovered = (inner: string) => coversHosts(pattern(outer), pattern(inner));
	expect(covered.split(" ").filter((inner) => !isCovered(inner))).toEqual([]);
	expect(others.split(" ").filter(isCovered)).toEqual([]);
});

test("a host is named as it would stand in a pattern", () => {
	expect([443, 80, 22].map((port) => patternFor({ host: "example.org", port }))).toEqual([
		...["example.org", "example.org", "example.org:22"],
	]);
});
