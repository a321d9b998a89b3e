import { expect, test } from "vitest";
import {
	agentRefusal,
	belowRefusal,
	personRefusal,
	type Rights,
	sendRefusal,
} from "../../../../src/supervisor/clients/rights.ts";

const AGENT: Rights = { is: "agent", agent: "1.2" };

test.each(["1.2.1", "1.2.3.4"])("an agent may stop %s below it", (agent) => {
	expect(belowRefusal(AGENT, "stop", agent)).toBeUndefined();
});

test.each(["1", "1.2", "1.20", "1.3", "1.1.2"])("an agent may not stop %s, itself, beside it or above it", (agent) => {
	expect(belowRefusal(AGENT, "stop", agent)).toBe(
		`inside a run an agent can stop only agents below it: 1.2 can stop 1.2.1, but not ${agent}`,
	);
});

test("a person may stop everything", () => {
	expect(["1", "1.2"].map((agent) => belowRefusal({ is: "person" }, "pause", agent))).toEqual([undefined, undefined]);
});

test.each(["1.2.1", "1.2.3.4", "1", "1.1", "1.30"])("an agent may send a message to %s", (agent) => {
	expect(sendRefusal(AGENT, agent)).toBeUndefined();
});

test.each(["1.1.2", "1.20.1"])(
	"an agent may send nothing to %s, which is no sibling of its and not below it",
	(agent) => {
		expect(sendRefusal(AGENT, agent)).toBe(
			`inside a run an agent can send messages only to its parent, its siblings and agents below it: 1.2 cannot send to ${agent}`,
		);
	},
);

test("an agent may not send to itself, nor to its grandparent, and a person may to everyone", () => {
	expect(sendRefusal(AGENT, "1.2")).toBe("agent 1.2 cannot send a message to itself");
	expect(sendRefusal({ is: "agent", agent: "1.2.1" }, "1")).toMatch(/1\.2\.1 cannot send to 1$/);
	expect(sendRefusal({ is: "person" }, "1.7")).toBeUndefined();
});

test("only a person may interrupt, take messages back, and close a conversation", () => {
	expect(personRefusal(AGENT, "withdraw")).toBe("only a person can withdraw in a conversation: agent 1.2 is inside it");
	expect(personRefusal({ is: "person" }, "close")).toBeUndefined();
});

test("a plan is changed from a command of its agent alone", () => {
	expect(agentRefusal(AGENT)).toBeUndefined();
	expect(agentRefusal({ is: "person" })).toBe(
		"only an agent itself can change its plan, from its commands; to see it: agent show",
	);
});
