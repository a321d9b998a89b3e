import { expect, test } from "vitest";
import { isPublicAddress, Lookups, type RouteDeps, routeTo } from "../../../../src/supervisor/proxy/route.ts";

function routes(names: Record<string, readonly string[]>): RouteDeps & { asked: string[] } {
	const asked: string[] = [];
	const lookUp = async (name: string) => {
		asked.push(name);
		const found = names[name];
		if (found === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
		return found;
	};
	return { asked, lookUp, ownAddresses: () => ["192.168.7.7", "9.9.9.9", "fe80::1"] };
}

const web = (host: string) => ({ host, port: 443 });

test("an allowed name leads to the addresses that it has now", async () => {
	const deps = routes({ "example.org": ["1.2.3.4", "2606:4700::1"] });
	const addresses = ["1.2.3.4", "2606:4700::1"];
	expect(await routeTo(web("example.org"), ["example.org"], deps)).toEqual({ is: "open", addresses });
});

test("a name that is not allowed is refused with the remedy, and never looked up", async () => {
	const deps = routes({});
	expect(await routeTo({ host: "evil.org", port: 8443 }, ["example.org", "no pattern at all"], deps)).toEqual({
		is: "refused",
		reason:
			"evil.org:8443 is not an allowed host for this agent; a person can allow it with --allow-host evil.org:8443",
	});
	expect(deps.asked).toEqual([]);
});

test.each([
	"127.0.0.1",
	"10.0.0.1",
	"169.254.169.254",
	"::1",
	"::ffff:127.0.0.1",
	"fe80::1%eth0",
	"fd00::1",
	"9.9.9.9",
])("an allowed name that leads to %s is refused", async (address) => {
	const route = await routeTo(web("example.org"), ["example.org", "*"], routes({ "example.org": [address] }));
	expect(route.is).toBe("refused");
});

test("of several addresses only those of the Internet are left", async () => {
	const deps = routes({ "example.org": ["127.0.0.1", "1.2.3.4", "10.0.0.1"] });
	expect(await routeTo(web("example.org"), ["*"], deps)).toEqual({ is: "open", addresses: ["1.2.3.4"] });
});

test("a name may lead to a private address that is named itself, on the port that is named", async () => {
	const deps = routes({ "registry.corp": ["10.0.0.5"] });
	const named = ["registry.corp", "10.0.0.5"];
	expect(await routeTo(web("registry.corp"), named, deps)).toEqual({ is: "open", addresses: ["10.0.0.5"] });
	const other = ["registry.corp:*", "10.0.0.5"];
	expect((await routeTo({ host: "registry.corp", port: 22 }, other, deps)).is).toBe("refused");
});

test("an address is reached when it is named, and not by any wildcard", async () => {
	const deps = routes({});
	expect(await routeTo(web("127.0.0.1"), ["127.0.0.1"], deps)).toEqual({ is: "open", addresses: ["127.0.0.1"] });
	expect((await routeTo(web("1.2.3.4"), ["*", "*:*"], deps)).is).toBe("refused");
	expect(deps.asked).toEqual([]);
});

test("localhost is reached when it is named, is never looked up, and no wildcard means it", async () => {
	const deps = routes({ localhost: ["1.2.3.4"], "a.localhost": ["1.2.3.4"] });
	const addresses = ["127.0.0.1", "::1"];
	expect(await routeTo(web("localhost"), ["localhost"], deps)).toEqual({ is: "open", addresses });
	expect((await routeTo(web("localhost"), ["*"], deps)).is).toBe("refused");
	expect((await routeTo(web("a.localhost"), ["*.localhost"], deps)).is).toBe("refused");
	expect(deps.asked).toEqual([]);
});

test("a name that leads nowhere is unknown, and not refused", async () => {
	const found = await routeTo(web("nowhere.example"), ["*"], routes({}));
	expect(found).toEqual({ is: "unknown", reason: "nowhere.example could not be looked up (ENOTFOUND)" });
	expect((await routeTo(web("empty.example"), ["*"], routes({ "empty.example": [] }))).is).toBe("unknown");
});

test.each([
	...["0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.0.1", "169.254.169.254"],
	...["168.63.129.16", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.19.0.1"],
	...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
	...[
		"::",
		"::1",
		"::7f00:1",
		"::ffff:127.0.0.1",
		"64:ff9b::7f00:1",
		"64:ff9b:1::1",
		"100::1",
		"2001::1",
		"2001:db8::1",
	],
	...["2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "4000::1"],
])("%s is no address of the Internet", (address) => {
	expect(isPublicAddress(address)).toBe(false);
});

test.each([
	...["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.1.1.1", "128.0.0.1", "172.15.0.1"],
	...["172.32.0.1", "192.0.1.1", "192.167.1.1", "223.255.255.255", "2606:4700::1111", "2a00::1", "2001:4860::1"],
])("%s is an address of the Internet", (address) => {
	expect(isPublicAddress(address)).toBe(true);
});

test("two names are looked up at once, one of each agent, and none for a client that is gone", async () => {
	const underWay: { name: string; end: (error?: Error) => void }[] = [];
	const look = (name: string) =>
		new Promise<string[]>((resolve, reject) => {
			underWay.push({ name, end: (error) => (error === undefined ? resolve([name]) : reject(error)) });
		});
	const lookups = new Lookups(look);
	const gone = new AbortController();
	const of = (name: string, agent: string, signal = new AbortController().signal) =>
		lookups.of(name, { agent, signal }).catch((error: Error) => error.name);
	const found = ["a1", "a2", "a3"].map((name) => of(name, "1"));
	found.push(of("gone", "1.1", gone.signal), of("b1", "1.1"), of("c1", "1.2"));
	gone.abort();
	for (let at = 0; at < 5; at++) {
		await new Promise((resolve) => setImmediate(resolve));
		underWay[at]?.end(at === 0 ? new TypeError("broken") : undefined);
	}
	expect(await Promise.all(found)).toEqual(["TypeError", ["a2"], ["a3"], "AbortError", ["b1"], ["c1"]]);
	expect(underWay.map(({ name }) => name)).toEqual(["a1", "c1", "b1", "a2", "a3"]);
});

test("an agent has no more names that wait than connections; others notice nothing", async () => {
	const lookups = new Lookups(() => new Promise(() => {}));
	const { signal } = new AbortController();
	for (let n = 0; n < 129; n++) void lookups.of(`${n}`, { agent: "1", signal });
	await expect(lookups.of("more", { agent: "1", signal })).rejects.toThrow("too many name lookups are pending");
	void lookups.of("b", { agent: "1.1", signal });
});
