import { expect, test } from "vitest";
import {
	addressIn,
	commandCookie,
	isCookieWithin,
	isOfCommand,
	parseCookie,
	rootCookie,
} from "../../../../src/core/run/cookie.ts";

const RUN = "20261127-201530-k3f9";
const PLACE = { run: RUN, agent: "1", command: 3, token: "secret", socket: "/s" };

const at = (agent: string, command: number, above: Record<string, string> = {}) =>
	commandCookie({ ...PLACE, agent, command }, above);

test("the cookie of a command names its supervisor, its agent, its number and its trail", () => {
	expect(at("1.2", 1, at("1", 3))).toEqual({
		AGENTREE_SOCKET: "/s",
		AGENTREE_TOKEN: "secret",
		AGENTREE_AGENT: `${RUN}/1.2`,
		AGENTREE_COMMAND: "1",
		AGENTREE_TRAIL: `${RUN} 1:3 1.2:1`,
	});
});

test("what was written is read back, the root agent's own cookie and a command's", () => {
	expect(parseCookie(at("1.2", 1))).toEqual({ run: RUN, agent: "1.2" });
	expect(parseCookie(rootCookie(PLACE))).toEqual({ run: RUN, agent: undefined });
	expect(addressIn(at("1.2", 1))).toEqual({ socket: "/s", token: "secret", command: 1 });
	expect(addressIn(rootCookie(PLACE))).toEqual({ socket: "/s" });
});

test.each([{}, { AGENTREE_AGENT: "" }, { AGENTREE_AGENT: "/1" }])("without a run there is no cookie: %j", (own) => {
	expect(parseCookie(own)).toBeUndefined();
});

test("a cookie is within an agent when it is that agent's or one's below it, in the same run", () => {
	expect(isCookieWithin(at("1.2", 1), RUN, "1.2")).toBe(true);
	expect(isCookieWithin(at("1.2.1", 1), RUN, "1.2")).toBe(true);
	expect(isCookieWithin(at("1.20", 1), RUN, "1.2")).toBe(false);
	expect(isCookieWithin(at("1", 1), RUN, "1.2")).toBe(false);
	expect(isCookieWithin(at("1.2", 1), "20261127-201530-aaaa", "1.2")).toBe(false);
	expect(isCookieWithin(rootCookie(PLACE), RUN, "1")).toBe(false);
});

test("a command's processes, and those of commands below it, are its own", () => {
	const command = at("1", 3);
	const below = at("1.2", 1, command);
	const farBelow = at("1.2.1", 7, below);
	for (const environment of [command, below, farBelow]) expect(isOfCommand(environment, command)).toBe(true);
	expect(farBelow.AGENTREE_TRAIL).toBe("20261127-201530-k3f9 1:3 1.2:1 1.2.1:7");
	expect(isOfCommand(command, below)).toBe(false);
});

test("another command of the same agent, what that one started, and another run are not", () => {
	const command = at("1", 3);
	for (const other of [at("1", 2), at("1", 30), at("1.1", 3), at("1.1", 1, at("1", 2))])
		expect(isOfCommand(other, command)).toBe(false);
	expect(isOfCommand(commandCookie({ ...PLACE, run: "other" }, command), command)).toBe(false);
	expect(isOfCommand({}, command)).toBe(false);
	expect(isOfCommand({}, {})).toBe(false);
});

test("a process that has lost the trail is known by agent and command", () => {
	const command = at("1", 3);
	const { AGENTREE_TRAIL: _, ...withoutTrail } = command;
	expect(isOfCommand(withoutTrail, command)).toBe(true);
});
