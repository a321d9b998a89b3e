import { expect, test } from "vitest";
import { type RouteDeps, routeTo } from "../../../../src/supervisor/proxy/route.ts";

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
