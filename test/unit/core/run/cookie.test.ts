import { expect, test } from "vitest";
import {
	addressIn,
	certificatesFrom,
	commandCookie,
	isCookieWithin,
	isOfCommand,
	parseCookie,
	rootCookie,
	withCertificatesAside,
} from "../../../../src/core/run/cookie.ts";
import { socketOfPipe } from "../../../../src/core/run/pipe-path.ts";
import { isRunId, MAX_NAME_CHARS, namesOfRuns, newRunId, runName } from "../../../../src/core/run/run-id.ts";
import { reduce } from "../../../../src/core/run/run-state.ts";
import { runOf } from "../run-of.ts";

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

test("the variable that makes node read certificates at its start goes by another name, and back", () => {
	const aside = withCertificatesAside({ PATH: "/bin", NODE_EXTRA_CA_CERTS: "/ca.pem" });
	expect(aside).toEqual({ PATH: "/bin", AGENTREE_NODE_EXTRA_CA_CERTS: "/ca.pem" });
	expect(certificatesFrom(aside)).toEqual({ NODE_EXTRA_CA_CERTS: "/ca.pem" });
});

test("the pipe that a command's output goes to tells the run's socket, and no other path does", () => {
	const directory = `/tmp/agentree-7/${RUN}.pipes`;
	const socket = `/tmp/agentree-7/${RUN}.sock`;
	expect(socketOfPipe(`${directory}/stock-12 (deleted)`)).toBe(socket);
	expect(socketOfPipe(`${directory}/1.2-811-3`)).toBe(socket);
	expect(socketOfPipe(`${directory}/1/2/stock-3 (deleted)`)).toBe(socket);
	const log = `/home/u/.local/state/agentree/runs/${RUN}/1/out/0001.log`;
	for (const other of [log, `${directory}/a/b`, "/tmp/x.pipes/1", "pipe:[81]", "/dev/null", ""])
		expect(socketOfPipe(other)).toBeUndefined();
});

test("a run id is the local time and four random characters", () => {
	const numbers = [20.1 / 36, 3.1 / 36, 15.1 / 36, 9.1 / 36];
	expect(newRunId(new Date(2026, 10, 27, 20, 15, 30), () => numbers.shift() ?? 0)).toBe("20261127-201530-k3f9");
});

test("what is a run id, and what only looks like one", () => {
	expect(isRunId("20261127-201530-k3f9")).toBe(true);
	for (const other of [
		"",
		"20261127-201530",
		"20261127-201530-k3f9/1",
		"x20261127-201530-k3f9",
		"../20261127-201530-k3f9",
	])
		expect(isRunId(other)).toBe(false);
});

test("a run is called by its last characters, unless another one ends or begins with them", () => {
	const runs = ["20261127-201530-k3f9", "20261127-201531-k3f9", "20261127-201530-aaaa", "20261128-201530-2026"];
	expect([...namesOfRuns(runs)]).toEqual([
		["20261127-201530-k3f9", "20261127-201530-k3f9"],
		["20261127-201531-k3f9", "20261127-201531-k3f9"],
		["20261127-201530-aaaa", "aaaa"],
		["20261128-201530-2026", "20261128-201530-2026"],
	]);
});

test.each([
	["  the\n\tparser ", "the parser"],
	["a\u0000\u001b[2Jb\ud800", "a [2Jb\ufffd"],
	["", ""],
	["x".repeat(MAX_NAME_CHARS), "x".repeat(MAX_NAME_CHARS)],
	["x".repeat(MAX_NAME_CHARS + 1), undefined],
])("%j is the name %j", (text, name) => expect(runName(text)).toBe(name));

test("a run has the name that it was given last, and an empty one takes it away", () => {
	const named = [{ event: "run_named", at: 1, name: "a" } as const, { event: "run_named", at: 2, name: "b" } as const];
	const run = named.reduce(reduce, runOf());
	expect(run.name).toBe("b");
	expect(reduce(run, { event: "run_named", at: 3, name: "" })).not.toHaveProperty("name");
});
