import { expect, test } from "vitest";
import { addressOfHost, hostName, hostOfAddress } from "../../../../src/core/machine/host-pattern.ts";

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
