import { expect, test } from "vitest";
import { HostRefusals } from "../../../../src/supervisor/proxy/host-proxy.ts";

const to = { host: "example.org", port: 443 };

test("a refused host is an event, and a flood of them one a second for its agent alone", () => {
	const refusals = new HostRefusals();
	const refuse = (agent: string, at: number) => refusals.refused(agent, to, { reason: "because", at });
	expect(refuse("1", 5_000)).toEqual({ event: "host_refused", at: 5_000, agent: "1", ...to, reason: "because" });
	const more = Array.from({ length: 100 }, () => refuse("1", 5_000));
	expect(more.filter((event) => event !== undefined)).toHaveLength(19);
	expect(refuse("1.2", 5_000)).toMatchObject({ agent: "1.2" });
	expect(refuse("1", 6_000)).toMatchObject({ agent: "1", others: 81 });
	expect(refuse("1", 6_000)).toBeUndefined();
});
