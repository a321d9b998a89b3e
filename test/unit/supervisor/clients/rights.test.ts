import { expect, test } from "vitest";
import { type Rights, stopRefusal } from "../../../../src/supervisor/clients/rights.ts";

const AGENT: Rights = { is: "agent", agent: "1.2" };

test.each(["1.2.1", "1.2.3.4"])("an agent may stop %s below it", (agent) => {
	expect(stopRefusal(AGENT, agent)).toBeUndefined();
});

test.each(["1", "1.2", "1.20", "1.3", "1.1.2"])("an agent may not stop %s, itself, beside it or above it", (agent) => {
	expect(stopRefusal(AGENT, agent)).toBe(
		`inside a run an agent may stop only what is below it: 1.2 may stop 1.2.1 and the like, not ${agent}`,
	);
});

test("a person may stop everything", () => {
	expect(["1", "1.2"].map((agent) => stopRefusal({ is: "person" }, agent))).toEqual([undefined, undefined]);
});
