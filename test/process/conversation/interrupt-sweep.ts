/** The moments at which a person may interrupt the root of a conversation, and what has to hold after each. */
import { expect, vi } from "vitest";
import type { Message } from "../../../src/core/model/message.ts";
import { addDollars, addUsage, NO_USAGE } from "../../../src/core/model/usage.ts";
import { checkRequest } from "../../../src/models/protocol/check-request.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { census } from "../census.ts";
import type { Program } from "../program.ts";
import { Person, type Replies, startConversation, startTalkService, type TalkOptions } from "./conversation-run.ts";

export interface Moment {
	readonly when: string;
	readonly replies: Replies;
	readonly options?: TalkOptions;
	/** Leads there. */
	readonly begin?: (person: Person) => Promise<unknown>;
	readonly isThere: (person: Person, api: FakeApi) => boolean;
	/** What the person does before the next message. */
	readonly clear?: (person: Person) => Promise<unknown>;
}

const LONG = `first ${"x".repeat(3_000)}`;
const NEVER: FakeAnswer = { silence: true };
const THOUGHT = { type: "thinking", thinking: "hm hm hm", signature: "s" } as const;

const error = (status: number, type: string, after: number): FakeAnswer => ({
	error: { status, type, message: "no", headers: { "retry-after": String(after) } },
});
const bash = (...lines: string[]): FakeAnswer => ({ content: lines.map((line, at) => runs(`toolu_${at}`, line)) });

/** Streams the blocks, and stops forever at the event of that name behind `n` others. */
function heldAt(event: string, n: number, ...content: object[]): FakeAnswer {
	let seen = 0;
	const beforeEvent = (name: string) => {
		if (name === event) seen++;
		return name === event && seen > n ? new Promise<void>(() => {}) : undefined;
	};
	return { content: content as never, beforeEvent };
}

const streams = (kind: string) => (person: Person) =>
	person.heard.some((one) => one.say === "delta" && one.delta.kind === kind);
const running =
	(agent: string, count = 1) =>
	(person: Person) =>
		person.run.agents[agent]?.running.length === count;
/** Perhaps before the person watched. */
const happened =
	(name: string, agent: string, times = 1) =>
	({ program }: Person) =>
		program.events().filter((event) => event.event === name && "agent" in event && event.agent === agent).length >=
		times;
const is = (agent: string, state: string) => (person: Person) => person.run.agents[agent]?.state.is === state;

async function talkTwice(person: Person): Promise<void> {
	await person.listens(1);
	await person.says("more");
	await person.listens(2);
	await person.says("still more");
	await person.listens(3);
}

/** A child agent that does so, and a root that waits for it. */
const child = (answer: FakeAnswer): Replies => ({ begin: bash("agent child; touch behind"), child: answer });

export const MOMENTS: readonly Moment[] = [
	{ when: "it has just joined", replies: { begin: NEVER }, isThere: (person) => person.run.agents["1"] !== undefined },
	{ when: "nothing of the answer has come", replies: { begin: NEVER }, isThere: (_, api) => api.requests.length === 1 },
	{
		when: "text streams",
		replies: { begin: heldAt("content_block_delta", 2, says("so far and more to come")) },
		isThere: streams("text"),
	},
	{
		when: "thinking streams",
		replies: { begin: heldAt("content_block_delta", 1, THOUGHT, says("x")) },
		isThere: streams("thinking"),
	},
	{
		when: "the arguments of a call stream",
		replies: { begin: heldAt("content_block_delta", 4, says("look"), runs("toolu_1", "touch behind")) },
		isThere: streams("command"),
	},
	{
		when: "the answer is whole but for its end",
		replies: { begin: heldAt("message_stop", 0, says("look"), runs("toolu_1", "touch behind")) },
		isThere: streams("command"),
	},
	{ when: "a command begins", replies: { begin: bash("sleep 1000") }, isThere: happened("turn_ended", "1") },
	{ when: "a command runs", replies: { begin: bash("trap '' TERM; sleep 1000 & wait") }, isThere: running("1") },
	{
		when: "many commands run side by side",
		replies: { begin: bash("sleep 1000", "exec sleep 1000", "setsid --wait sleep 1000", "true", "agent child") },
		isThere: (person) => (person.run.agents["1"]?.running.length ?? 0) >= 4,
	},
	{
		when: "a command has just ended",
		replies: { begin: bash("true"), "": NEVER },
		isThere: happened("command_ended", "1"),
	},
	{
		when: "its second turn begins",
		replies: { begin: bash("echo one"), one: NEVER },
		isThere: (person) => (person.run.agents["1"]?.turns ?? 0) >= 2, // its first may have begun before the person came
	},
	{ when: "a child agent joins", replies: child(NEVER), isThere: happened("agent_joined", "1.1") },
	{ when: "a child agent thinks", replies: child(NEVER), isThere: is("1.1", "thinking") },
	{ when: "a child agent runs a command", replies: child(bash("sleep 1000")), isThere: running("1.1") },
	{
		when: "a child agent waits for one of its own",
		replies: { ...child(bash("agent grandson")), grandson: bash("sleep 1000") },
		isThere: running("1.1.1"),
	},
	{
		when: "a child agent has no slot",
		replies: { begin: bash("agent child & agent child & wait"), child: bash("sleep 1000") },
		options: { limits: { maxConcurrency: 1 } },
		isThere: (person) => running("1.1")(person) && is("1.2", "queued")(person),
	},
	{
		when: "a child agent is paused",
		replies: child(bash("sleep 1000")),
		begin: async (person) => {
			await person.until(() => running("1.1")(person));
			await person.asks({ say: "pause", agent: "1.1", isHard: true });
		},
		isThere: () => true,
	},
	{
		when: "a child agent has just ended",
		replies: child({ content: [says("x")] }),
		isThere: happened("agent_ended", "1.1"),
	},
	{
		when: "it waiting for a slot, which a child agent in the background has",
		replies: { begin: bash("agent child > /dev/null & sleep 0.3; echo one"), one: NEVER, child: bash("sleep 1000") },
		options: { limits: { maxConcurrency: 1 } },
		isThere: (person) => is("1", "queued")(person) && happened("command_ended", "1")(person),
		clear: async (person) => {
			void person.asks({ say: "stop_agent", agent: "1.1", signal: 15, isHurry: false, reason: "enough" });
			await person.until(() => is("1.1", "ended")(person));
		},
	},
	{
		when: "a summary is written that the person has asked for",
		replies: { begin: { content: [says(LONG)] }, more: { content: [says(LONG)] }, "asks for a summary": NEVER },
		begin: async (person) => {
			await talkTwice(person);
			await person.asks({ say: "compact", agent: "1" });
		},
		isThere: (_, api) => JSON.stringify(api.requests.at(-1)?.body.messages).includes("asks for a summary"),
	},
	{
		when: "a call is to be made again",
		replies: { begin: error(503, "api_error", 100) },
		isThere: happened("turn_retrying", "1"),
	},
	{
		when: "calls are held back",
		replies: { begin: error(429, "rate_limit_error", 3) },
		isThere: happened("turn_retrying", "1"),
	},
	{
		when: "a question beside it is under way, and it listens",
		replies: { begin: { content: [says("hello")] }, "how far": NEVER },
		begin: async (person) => {
			await person.listens(1);
			void person.asks({ say: "aside", agent: "1", text: "how far?" });
		},
		isThere: (_, api) => api.requests.length === 2,
	},
	{
		when: "a question beside it is under way, and a command runs",
		replies: { "how far": NEVER, begin: bash("sleep 1000") },
		begin: async (person) => {
			await person.until(() => running("1")(person));
			void person.asks({ say: "aside", agent: "1", text: "how far?" });
		},
		isThere: (_, api) => api.requests.length === 2,
	},
];

/** Interrupts there, after `afterMs`, and looks at all that has to hold. */
export async function interruptAt({ replies, options, begin, isThere, clear }: Moment, afterMs = 0): Promise<void> {
	const api = await startTalkService({ next: { content: [says("went on")] }, ...replies });
	const program = startConversation({ api, ...options });
	const person = await Person.joins(program);
	await begin?.(person);
	await person.until(() => isThere(person, api));
	if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
	const before = person.events.length;
	const { was } = Object(await person.interrupts());
	if (was !== "listening") await person.until(() => person.events.slice(before).some(isRest));
	await clear?.(person);
	await person.says("next");
	await person.until(() => isAnswered(api) && person.state === "listening");
	await holds({ api, program, person });
}

const isRest = ({ event }: { event: string }) => event === "agent_listening";

function isAnswered(api: FakeApi): boolean {
	return api.requests.some(({ body }) => JSON.stringify(body.messages?.at(-1)).includes('"next"'));
}

async function holds({ api, program, person }: { api: FakeApi; program: Program; person: Person }): Promise<void> {
	expect(api.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
	const root = person.run.agents["1"];
	expect(root?.running).toEqual([]);
	await vi.waitFor(() => expect(census(program).map(({ pid }) => pid)).toEqual([root?.pid]), WAIT);
	const directory = await program.runDirectory();
	const { values, damage } = readTranscript(directory, "1");
	expect(damage).toEqual([]);
	const messages = values.flatMap((entry) =>
		entry.role === "note" ? [] : [{ role: entry.role, content: entry.content }],
	);
	expect(checkRequest({ messages: joined(messages.slice(0, -1)) as Message[] })).toBeUndefined();
	expect(messages.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "went on" }] });
	const charges = values.flatMap((entry) => ("usage" in entry ? [entry] : []));
	const asides = person.events.flatMap((event) => (event.event === "aside_ended" ? [event] : []));
	const all = [...charges, ...asides].reduce(
		(sum, { usage, costUsd }) => ({ usage: addUsage(sum.usage, usage), costUsd: addDollars(sum.costUsd, costUsd) }),
		{ usage: NO_USAGE, costUsd: 0 as number | null },
	);
	expect({ usage: root?.usage, costUsd: root?.costUsd }).toEqual(all);
	void person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
	await vi.waitFor(() => expect(census(program)).toEqual([]), WAIT);
}

/** As a request has them: what is said in several entries is one message. */
function joined<M extends { role: string; content: readonly unknown[] }>(messages: readonly M[]): M[] {
	const all: M[] = [];
	for (const message of messages) {
		const last = all.at(-1);
		if (last?.role !== message.role) all.push(message);
		else all[all.length - 1] = { ...last, content: [...last.content, ...message.content] };
	}
	return all;
}
