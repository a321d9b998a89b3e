import { expect, test } from "vitest";
import { RefusedConnections } from "../../../../src/supervisor/clients/refused-connections.ts";
import type { AgentConnection } from "../../../../src/supervisor/run/agent-registry.ts";
import { fakeCore, part } from "../fake-core.ts";

const CONNECTION = part<AgentConnection>({ number: 1 });

function refusedConnections() {
	let now = 5_000;
	const { core, emitted, dispatched } = fakeCore({ host: { now: () => now }, registry: { agentOn: () => "1.2" } });
	const refused = new RefusedConnections(core);
	const flood = (at: number) => {
		now = at;
		for (let n = 0; n < 1_000; n++) refused.refused("r", undefined);
		return emitted.splice(0);
	};
	return { refused, flood, emitted, dispatched };
}

test("who floods the socket gets a line a second in the log, which says how many others there were", () => {
	const { flood } = refusedConnections();
	expect(flood(5_000)).toHaveLength(20);
	expect(flood(6_000)).toEqual([{ event: "client_refused", at: 6_000, reason: "r", others: 980 }]);
});

test("that an agent's connection is closed is told in any case, in one short line, and the agent is over", () => {
	const { refused, flood, emitted, dispatched } = refusedConnections();
	flood(5_000);
	refused.refused(`a\n${"b".repeat(1_000)}`, CONNECTION);
	expect(emitted).toEqual([
		{ event: "client_refused", at: 5_000, agent: "1.2", others: 980, reason: `a ${"b".repeat(197)}…` },
	]);
	expect(dispatched).toMatchObject([{ is: "gone", agent: "1.2", ending: { by: "crashed" }, cameFirst: true }]);
});
