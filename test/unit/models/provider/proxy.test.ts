import { expect, test } from "vitest";
import { isLoopback, routeTo, throughProxy } from "../../../../src/models/service/proxy.ts";

const HTTPS = "https://api.example.com";
const proxyOf = (env: Record<string, string>, address = HTTPS) => {
	const route = routeTo(address, env);
	return route.is === "proxied" ? `${route.proxy.shown} ${route.proxy.variable}` : "direct";
};

test("each scheme has its variable, all_proxy stands for both, and lower case goes first; an empty one is not set", () => {
	const all = { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:2", HTTP_PROXY: "http://c:3", ALL_PROXY: "d:4" };
	expect(proxyOf(all)).toBe("http://b:2 https_proxy");
	expect(proxyOf({ ...all, https_proxy: " " })).toBe("http://a:1 HTTPS_PROXY");
	expect(proxyOf(all, "http://api.example.com")).toBe("http://c:3 HTTP_PROXY");
	expect(proxyOf({ all_proxy: "d:4", HTTP_PROXY: "c" })).toBe("http://d:4 all_proxy");
	expect(proxyOf({ HTTP_PROXY: "c" })).toBe("direct");
	expect(proxyOf({})).toBe("direct");
	expect(proxyOf({ HTTPS_PROXY: "https://a" }, "https://localhost")).toBe("https://a HTTPS_PROXY"); // no exception of its own
});

test("what a proxy wants to know is kept and not shown", () => {
	const route = routeTo(HTTPS, { HTTPS_PROXY: "http://me:p%40ss@proxy.example:3128" });
	expect(route).toEqual({
		is: "proxied",
		proxy: {
			url: "http://me:p%40ss@proxy.example:3128/",
			shown: "http://proxy.example:3128",
			variable: "HTTPS_PROXY",
		},
	});
	expect(route.is === "proxied" && throughProxy(route.proxy)).toBe(
		" through the proxy http://proxy.example:3128 (HTTPS_PROXY)",
	);
	expect(throughProxy(undefined)).toBe("");
});

test.each<[list: string, address: string, isDirect: boolean]>([
	["api.example.com", HTTPS, true],
	["example.com", HTTPS, true],
	[".example.com", HTTPS, true],
	["*.example.com", HTTPS, true],
	["API.Example.COM.", HTTPS, true],
	["ample.com", HTTPS, false],
	["other.test,\texample.com", HTTPS, true],
	["a.test b.test", HTTPS, false],
	["*", HTTPS, true],
	["api.example.com:443", HTTPS, true],
	["api.example.com:8443", HTTPS, false],
	["api.example.com:8443", `${HTTPS}:8443`, true],
	["api.example.com:80", "http://api.example.com", true],
	["10.0.0.0/8", "https://10.9.8.7", true],
	["10.0.0.0/8", "https://11.9.8.7", false],
	["10.0.0.0/99,10.0.0.0/,/8,/", "https://10.9.8.7", false],
	["10.0.0.0/8", HTTPS, false],
	["fd00::/8", "https://[fd12::1]:8443", true],
	["fd00::/8", "https://10.0.0.1", false],
	["::1", "https://[::1]", true],
	["[::1]:8443", "https://[::1]", false],
	["localhost", "https://127.0.0.1", false],
	["localhost", "https://localhost:4000", true],
	["", HTTPS, false],
	[", ,", HTTPS, false],
])("no_proxy %j for %s: direct is %s", (list, address, isDirect) => {
	const env = { HTTPS_PROXY: "http://a:1", HTTP_PROXY: "http://a:1" };
	expect(proxyOf({ ...env, no_proxy: list }, address) === "direct").toBe(isDirect);
	expect(proxyOf({ ...env, NO_PROXY: list }, address) === "direct").toBe(isDirect);
});

test("the variable that excepts an address is told, the one in lower case first", () => {
	const env = { HTTPS_PROXY: "http://a:1", NO_PROXY: "*" };
	expect(routeTo(HTTPS, env)).toEqual({ is: "direct", exceptedBy: "NO_PROXY" });
	expect(routeTo(HTTPS, { ...env, no_proxy: "x" }).is).toBe("proxied");
});

test("a proxy that cannot be used is wrong usage, where it would be used, and is not shown", () => {
	const unusable = (HTTPS_PROXY: string) => () => routeTo(HTTPS, { HTTPS_PROXY });
	expect(unusable("socks5h://me:secret@p:1")).toThrow(
		"HTTPS_PROXY is not the http or https address of a proxy, but one of socks5h: correct it, or add the service's host to NO_PROXY",
	);
	expect(unusable("http://me:secret@")).toThrow(/^HTTPS_PROXY is not the http or https address of a proxy: correct it/);
	expect(unusable("http://me:50%zz@p:1")).toThrow(
		/^HTTPS_PROXY is not the http or https address of a proxy: correct it/,
	);
	expect(routeTo(HTTPS, { HTTPS_PROXY: "socks5://p", NO_PROXY: "*" }).is).toBe("direct");
	expect(routeTo(HTTPS, { HTTPS_PROXY: "p", ALL_PROXY: "socks5://p" }).is).toBe("proxied");
});

test("an address of this machine is known as one", () => {
	const own = ["http://localhost:1", "http://a.localhost", "http://127.9.9.9", "https://[::1]:2"];
	expect([...own, HTTPS, "http://1270.test"].map(isLoopback)).toEqual([true, true, true, true, false, false]);
});
