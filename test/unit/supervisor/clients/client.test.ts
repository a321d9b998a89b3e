/** A client whose wire and whose supervisor write down what happens. */
import { expect, test } from "vitest";
import { Client } from "../../../../src/supervisor/clients/client.ts";
import type { ClientOrigin } from "../../../../src/supervisor/processes/whose-is.ts";
import { NO_KEY, proofOf } from "../../../../src/wire/person-connection.ts";

const CHALLENGE = { key: "/run/.person-key", name: "n" };
const HELLO = { say: "hello", version: 2, role: "agent", pid: 7 };
const PERSON = { ...HELLO, role: "person" };
const JOIN = { say: "join", pid: 7, pidNamespace: null, cwd: "/", limits: {} };
const PROOF = { say: "proof", digest: proofOf("secret", "n") };
const STOP = { say: "stop_agent", agent: "1.2", reason: "agent stop", signal: 15, isHurry: false };
const INSIDE: ClientOrigin = { is: "inside", agent: "1.2", pid: 7 };
const OUTSIDE: ClientOrigin = { is: "outside", pid: 7 };

function clientWith(origin: ClientOrigin = OUTSIDE, { doubt, fault }: { doubt?: string; fault?: string } = {}) {
	const log: unknown[] = [];
	const wire = {
		send: (message: object) => log.push(message),
		close: () => log.push("close"),
		destroy: () => log.push("destroy"),
		unsentBytes: 0,
	};
	const listener = {
		onJoin: () => log.push("joins"),
		onMessage: (_: unknown, message: { say: string }) => log.push(`agent: ${message.say}`),
		onClose: () => log.push("agent gone"),
		onWatcherMessage: (_: unknown, message: object) => log.push({ heard: message }),
		onWatcherClose: () => log.push("watcher gone"),
		isAsking: () => false,
		onRefused: (reason: string) => log.push(`refused: ${reason}`),
		originOf: () => {
			if (fault !== undefined) log.push("a look at the processes");
			return origin;
		},
	};
	const key = { challenge: () => CHALLENGE, faultOf: () => fault, doubt: () => doubt };
	const client = new Client(3, wire, {
		listener,
		key,
		version: "1.2.3",
		onLetIn: () => log.push("let in"),
		onClosed: () => {},
	});
	const say = (...messages: unknown[]) => {
		for (const message of messages) client.receive(Buffer.from(JSON.stringify(message)));
		return log.splice(0);
	};
	return { client, say, log };
}

test("an agent says hello and joins, without a word in between", () => {
	const { client, say, log } = clientWith();
	expect(say(HELLO, JOIN)).toEqual(["let in", "joins"]);
	expect(say({ say: "record", entry: { role: "user", content: [] } })).toEqual(["agent: record"]);
	client.closed();
	expect(log).toEqual(["agent gone"]);
});

test("a person is asked for its proof, and may then watch and stop any agent", () => {
	const { client, say, log } = clientWith();
	expect(say(PERSON)).toEqual([{ say: "challenge", ...CHALLENGE }]);
	expect(say(PROOF)).toEqual(["let in", { say: "welcome", agent: null }]);
	expect(say({ say: "watch" }, STOP)).toEqual([
		{ heard: { say: "watch", by: null } },
		{ heard: { ...STOP, by: null } },
	]);
	client.closed();
	expect(log).toEqual(["watcher gone"]);
});

test("a process that cannot read the key is let in by its place in the tree alone, and outside of the tree not at all", () => {
	const keyless = { say: "proof", digest: proofOf(NO_KEY, CHALLENGE.name) };
	const fault = "it does not know the run's key";
	const inside = clientWith(INSIDE, { fault });
	expect(inside.say(PERSON, keyless).slice(1)).toEqual([
		"a look at the processes",
		"let in",
		{ say: "welcome", agent: "1.2" },
	]);
	const outside = clientWith(undefined, { fault });
	expect(JSON.stringify(outside.say(PERSON, keyless).slice(2))).toContain(fault);
});

// Seen to fail with the role taken from the hello: the run is stopped.
test("whoever comes from inside the tree is an agent, whatever it says, and stops only what is below it", () => {
	const { say } = clientWith(INSIDE);
	expect(say(PERSON, PROOF).slice(1)).toEqual(["let in", { say: "welcome", agent: "1.2" }]);
	const reason = "inside a run an agent can stop only agents below it: 1.2 can stop 1.2.1, but not ";
	expect(say({ ...STOP, agent: "1" }, STOP)).toEqual([
		{ say: "refused", reason: `${reason}1` },
		{ say: "refused", reason: `${reason}1.2` },
	]);
	const below = { ...STOP, agent: "1.2.1" };
	expect(say(below)).toEqual([{ heard: { ...below, by: "1.2" } }]);
});

// Seen to fail: it read the answers of all agents, and counted as a person at the conversation.
test("an agent watches as itself, and reads the answers of itself and what is below it as they come", () => {
	const { say } = clientWith(INSIDE);
	say(PERSON, PROOF);
	const focus = { say: "focus", agent: "1.2.1" };
	expect(say({ say: "watch" }, focus, { ...focus, agent: null }, { ...focus, agent: "1" })).toEqual([
		...[
			{ heard: { say: "watch", by: "1.2" } },
			...[focus, { ...focus, agent: null }].map((one) => ({ heard: { ...one, by: "1.2" } })),
		],
		{ say: "refused", reason: "inside a run an agent can read only itself and agents below it: 1.2 cannot read 1" },
	]);
	const talks = clientWith(INSIDE).say(PERSON, PROOF, { say: "watch", talks: true });
	expect(talks.at(-1)).toEqual({
		say: "refused",
		reason: "only a person can talk in a conversation: agent 1.2 is inside it",
	});
});

// Seen to fail with the sender taken from the message: it is who it says.
test("a message is of the agent in whose command its sender is, whatever it says, or of a person", () => {
	const message = { say: "send", agent: "1.2.1", text: "look" };
	const inside = clientWith(INSIDE);
	inside.say(PERSON, PROOF);
	expect(inside.say({ ...message, by: null }, { ...message, agent: "1.3.1" })).toEqual([
		{ heard: { ...message, by: "1.2" } },
		{ say: "refused", reason: expect.stringContaining("1.2 cannot send to 1.3.1") },
	]);
	const outside = clientWith(OUTSIDE);
	outside.say(PERSON, PROOF);
	expect(outside.say(message)).toEqual([{ heard: { ...message, by: null } }]);
});

test.each([
	{
		title: "a process of another run",
		origin: { is: "stranger", reason: "it belongs to run R" } as const,
		doubts: {},
	},
	{ title: "a process that it is not", origin: OUTSIDE, doubts: { doubt: "it belongs to run R" } },
	// Seen to fail, with a look at all processes for each: a flood of false proofs slowed other agents' starts by a second.
	{ title: "who does not know the key", origin: OUTSIDE, doubts: { fault: "it belongs to run R" } },
])("a client is not let in that comes from $title", ({ origin, doubts }) => {
	const { say } = clientWith(origin, doubts);
	const reason = "it belongs to run R";
	expect(say(PERSON, PROOF).slice(1)).toEqual([{ say: "refused", reason }, `refused: ${reason}`, "close"]);
});

test("a version that does not fit is told in one line, which says what fits", () => {
	const reason =
		"the run's supervisor is agentree 1.2.3 with protocol version 2, this program has version 9: use agentree 1.2.3";
	const told = [{ say: "refused", code: "usage", reason }, `refused: ${reason}`, "close"];
	expect(clientWith().say({ say: "hello", version: 9, wants: "more" })).toEqual(told);
});

test.each([
	{ before: [], last: JOIN, reason: '"join" before its hello; the run\'s supervisor is agentree 1.2.3' },
	{ before: [], last: { say: "watch" }, reason: '"watch" before its hello; the run\'s supervisor is agentree 1.2.3' },
	{ before: [HELLO], last: HELLO, reason: '"hello" before its join' },
	{ before: [HELLO], last: { say: "watch" }, reason: '"watch" before its join' },
	{ before: [PERSON], last: STOP, reason: '"stop_agent" before its proof' },
	{ before: [PERSON], last: JOIN, reason: '"join" before its proof' },
	{ before: [HELLO, JOIN], last: JOIN, reason: '"join" from an agent that has joined' },
	{ before: [HELLO, JOIN], last: STOP, reason: '"stop_agent" from an agent that has joined' },
	{ before: [PERSON, PROOF], last: JOIN, reason: '"join" from one that watches' },
	{ before: [PERSON, PROOF], last: PROOF, reason: '"proof" from one that watches' },
	{ before: [PERSON, PROOF, { say: "watch" }], last: { say: "watch" }, reason: '"watch" for a second time' },
	{ before: [HELLO, JOIN], last: { say: "dance" }, reason: 'an unknown message: "dance"' },
	{ before: [HELLO, JOIN], last: { ...STOP, say: "finish" }, reason: '"finish" of the wrong shape: ending' },
])("a message out of order closes the connection, and is not heard: $reason", ({ before, last, reason }) => {
	const { say } = clientWith();
	say(...before);
	const said = say(last);
	expect(said.slice(-2)).toEqual([`refused: ${reason}`, "close"]);
	expect(said.slice(0, -2).every((message) => typeof message === "object")).toBe(true);
});

const LONG = "x".repeat(70_000);

// Seen to fail with a bound of bytes alone: a few bytes can stand for a value that takes fifty. Seen to end the run as a bug:
// JSON.stringify throws on the levels that JSON.parse has read.
test.each([
	{ title: "levels", json: `["${LONG}",${"[".repeat(1_100)}`, wrong: "nested more than 1000 levels deep" },
	{ title: "levels in few bytes", json: "[".repeat(1_100), wrong: "nested more than 1000 levels deep" },
	{ title: "lists", json: `[${"[],".repeat(600_000)}`, wrong: "of more than 500000 values" },
	{ title: "numbers", json: `[${"1,".repeat(600_000)}`, wrong: "of more than 500000 values" },
])("a line of too many $title is not parsed, and closes the connection", ({ json, wrong }) => {
	const { client, log } = clientWith();
	client.receive(Buffer.from(json));
	expect(log.slice(-2)).toEqual([`refused: a message ${wrong.replace("nested", "that is nested")}`, "close"]);
});

test("a text with all signs in it is no reason to refuse a message, and one without an end none to look for long", () => {
	const { client, say, log } = clientWith();
	say(HELLO, JOIN);
	const text = `${LONG}[{"a":1,":\\"\\${'[{,:"'.repeat(200_000)}`;
	expect(say({ say: "record", entry: { role: "user", content: [{ type: "text", text }] } })).toEqual(["agent: record"]);
	client.receive(Buffer.from(`"${"\\".repeat(10_000_001)}"${LONG}`));
	expect(log).toContain("refused: a message that is not an object");
});

test("what an agent says after its end is not heard", () => {
	const { say } = clientWith();
	say(HELLO, JOIN);
	const finish = { say: "finish", ending: { by: "answer" } };
	expect(say(finish, finish, { say: "dance" }).at(0)).toBe("agent: finish");
	expect(say(finish)).toEqual([]);
});

test("a client may say little until it has said who it is", () => {
	const { client, say } = clientWith();
	const sizes = [client.maxLineBytes()];
	say(HELLO);
	sizes.push(client.maxLineBytes());
	expect(sizes).toEqual([8 * 1024, 80 * 1024 * 1024]);
	const person = clientWith();
	person.say(PERSON, PROOF);
	expect(person.client.maxLineBytes()).toBe(8 * 1024 * 1024);
	const inside = clientWith(INSIDE);
	inside.say(PERSON, PROOF);
	expect(inside.client.maxLineBytes()).toBe(64 * 1024);
});
