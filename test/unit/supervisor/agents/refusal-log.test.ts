import { expect, test } from "vitest";
import { RefusalLog } from "../../../../src/supervisor/agents/refusals.ts";

test("who floods the socket gets a line a second in the log, which says how many others there were", () => {
	const log = new RefusalLog();
	const flood = (at: number) => Array.from({ length: 1_000 }, () => log.refused("r", undefined, at));
	expect(flood(5_000).filter((event) => event !== undefined)).toHaveLength(20);
	expect(flood(6_000).filter((event) => event !== undefined)).toEqual([
		{ event: "client_refused", at: 6_000, reason: "r", others: 980 },
	]);
});

test("that an agent's connection is closed is told in any case, in one short line", () => {
	const log = new RefusalLog();
	for (let n = 0; n < 1_000; n++) log.refused("r", undefined, 5_000);
	expect(log.refused(`a\n${"b".repeat(1_000)}`, "1.2", 5_000)).toEqual({
		...{ event: "client_refused", at: 5_000, agent: "1.2", others: 980, reason: `a ${"b".repeat(197)}…` },
	});
});
