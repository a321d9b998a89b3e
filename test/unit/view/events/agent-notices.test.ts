import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { AgentNoticesBuilder, agentNoticeOf } from "../../../../src/view/events/agent-notices.ts";
import { agentJoined, T0 } from "../../record/fabricate.ts";

const paused = (at: number, agent: string): RunEvent => ({ event: "agent_paused", at: T0 + at, agent, from: null });
const stopping = (at: number, agent: string): RunEvent => ({
	event: "agent_stopping",
	at: T0 + at,
	agent,
	reason: "Ctrl-C",
});
const ended = (at: number, agent: string): RunEvent => ({
	event: "agent_ended",
	at: T0 + at,
	agent,
	ending: { by: "answer" },
});

function toldTo(agent: string, events: readonly RunEvent[]): string[] {
	const builder = new AgentNoticesBuilder();
	for (const event of events) builder.note(event);
	return builder.of(agent).list.map(({ at, text }) => `${at - T0} ${text}`);
}

test("a pause and a stop are told by the agent that they are of, and by all below it that live then", () => {
	const events = [
		...[agentJoined("1", T0), agentJoined("1.1", T0 + 10), agentJoined("1.2", T0 + 10)],
		...[paused(20, "1"), ended(30, "1.1"), agentJoined("1.2.1", T0 + 40), paused(45, "1.2"), stopping(50, "1")],
	];
	const pause = "was paused, with all below it, by the person";
	expect(toldTo("1", events)).toEqual([`20 ${pause}`, "50 is being stopped: Ctrl-C"]);
	expect(toldTo("1.1", events)).toEqual([`20 agent 1 ${pause}`]);
	expect(toldTo("1.2.1", events)).toEqual([`45 agent 1.2 ${pause}`, "50 agent 1 is being stopped: Ctrl-C"]);
});

// Seen to fail while the histories of agents told each message as it was sent and as it came.
test("a message is told until the agent has got it, or it was taken back", () => {
	const sent = (at: number, from: string | null): RunEvent => ({
		...{ event: "message_sent", at: T0 + at, agent: "1", from, text: `m${at}` },
	});
	const events: RunEvent[] = [
		...[sent(1, null), sent(2, "1.1"), sent(3, null), sent(4, null)],
		{ event: "message_withdrawn", at: T0 + 5, agent: "1", text: "m4" },
		{ event: "message_delivered", at: T0 + 6, agent: "1", messages: 2 },
	];
	const builder = new AgentNoticesBuilder();
	for (const event of events) builder.note(event);
	expect(builder.of("1").list.map(({ at, isDelivered }) => [at - T0, isDelivered])).toEqual([
		...[
			[1, true],
			[2, true],
			[3, undefined],
			[4, undefined],
			[5, undefined],
		],
	]);
});

test("what happened to the whole run is told by the root alone", () => {
	const slowed: RunEvent = { event: "calls_slowed", at: T0, reason: "429", waitMs: 5_000, maxCalls: 2 };
	expect(agentNoticeOf(slowed, "1")?.text).toBe("run: no calls to the model for 5 s: 429; then 2 at once");
	expect(agentNoticeOf(slowed, "1.1")).toBeUndefined();
});

test("what turns, messages and commands tell is not told once more, but for a summary that failed", () => {
	const failed = {
		event: "turn_failed",
		at: T0,
		agent: "1",
		turn: 2,
		reason: "full",
		usage: NO_USAGE,
		costUsd: 0,
	} as const;
	expect(agentNoticeOf(failed, "1")).toBeUndefined();
	expect(agentNoticeOf({ ...failed, purpose: "compaction" }, "1")).toMatchObject({
		text: "its summary failed: full",
		isTrouble: true,
	});
	expect(agentNoticeOf({ event: "message_delivered", at: T0, agent: "1", messages: 1 }, "1")).toBeUndefined();
	expect(agentNoticeOf({ event: "turn_queued", at: T0, agent: "1" }, "1")).toBeUndefined();
	expect(agentNoticeOf({ event: "turn_queued", at: T0, agent: "1", reason: "the budget is reserved" }, "1")?.text).toBe(
		"waits: the budget is reserved",
	);
});

test("of very many only the first are kept, and the others counted", () => {
	const builder = new AgentNoticesBuilder();
	const refused = { event: "child_refused", parent: "1", code: "depth", reason: "limit", task: "more" } as const;
	for (let n = 0; n < 250; n++) builder.note({ ...refused, at: T0 + n });
	const { list, more } = builder.of("1");
	expect([list.length, more]).toEqual([200, 50]);
});

test("a message that waited for an agent is not the one that its copy in another run gets", () => {
	const sent = (at: number): RunEvent => ({
		...{ event: "message_sent", at: T0 + at, agent: "1", from: null, text: `m${at}` },
	});
	const builder = new AgentNoticesBuilder();
	for (const event of [
		sent(1),
		{ event: "run_forked", at: T0 + 2, run: "r2", from: "r1" },
		sent(3),
		{ event: "message_delivered", at: T0 + 4, agent: "1", messages: 1 },
	] satisfies RunEvent[])
		builder.note(event);
	const told = builder.of("1").list.map(({ at, isDelivered }) => [at - T0, isDelivered]);
	expect(told.filter(([at]) => at !== 2)).toEqual([
		[1, undefined],
		[3, true],
	]);
});
