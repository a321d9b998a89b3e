import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import type { AssistantEntry, CallNote, TranscriptEntry } from "../../../../../src/core/schemas/transcript.ts";
import { AtifSteps, metricsOf } from "../../../../../src/faces/json/atif/atif-steps.ts";
import { SettledItems } from "../../../../../src/view/transcript/changes.ts";
import { inOrder } from "../../../../../src/view/transcript/merge.ts";
import { Transcript } from "../../../../../src/view/transcript/transcript.ts";
import { agentJoined, T0 } from "../../../record/fabricate.ts";
import { commandEnded, commandStarted } from "../../../view/transcript/record-of.ts";

const usage = { input: 100, output: 10, cacheRead: 20, cacheWrite: 5 };
const metrics = (calls: number, cost_usd: number) => ({
	...{ prompt_tokens: 125 * calls, completion_tokens: 10 * calls, cached_tokens: 20 * calls, cost_usd },
	extra: { cache_creation_input_tokens: 5 * calls },
});
const time = (second: number) => new Date(T0 + second * 1_000).toISOString();

function stepsOf(entries: readonly TranscriptEntry[], events: readonly RunEvent[] = []) {
	const steps = new AtifSteps({ run: "RUN", trajectoryOf: (child) => `RUN/${child}` });
	const transcript = new Transcript("1");
	const settled = new SettledItems();
	const items = [...inOrder(events, entries)].flatMap((part) => settled.take(transcript.take(part)));
	items.push(...settled.take(transcript.standing()), ...settled.rest());
	return [...items.flatMap((item) => steps.take(item)), ...steps.rest()];
}

const call = (id: string, input: unknown) => ({ type: "tool_use", id, name: "bash", input }) as const;
const answer = (second: number, turn: number, ...content: AssistantEntry["content"]): AssistantEntry => {
	const facts = { turn, model: "m", stopReason: "tool_use", usage, costUsd: 0.5 };
	return { role: "assistant", content, at: T0 + second * 1_000, ...facts };
};
const note = (second: number, outcome: CallNote["outcome"], changes: Partial<CallNote> = {}): CallNote => {
	const facts = { role: "note", note: "call", turn: 1, reason: "cut", usage, costUsd: 0.25 } as const;
	return { ...facts, at: T0 + second * 1_000, outcome, ...changes };
};
const started = (second: number, turn = 1): RunEvent => {
	return { event: "turn_started", at: T0 + second * 1_000, agent: "1", turn, isLast: false };
};
const ended = (second: number, turn = 1): RunEvent => {
	const facts = { stopReason: "end_turn", usage, costUsd: 0.5 };
	return { event: "turn_ended", at: T0 + second * 1_000, agent: "1", turn, ...facts };
};
const failed = (second: number, reason: string, charge: object): RunEvent => {
	return {
		event: "turn_failed",
		at: T0 + second * 1_000,
		agent: "1",
		turn: 1,
		reason,
		usage,
		costUsd: 0.25,
		...charge,
	};
};

test("an answer and the results of its calls are one step, with what was noted between them behind it", () => {
	const content = [
		{ type: "thinking", thinking: "hm", signature: "s" } as const,
		{ type: "redacted_thinking", data: "x" } as const,
	];
	const results = ["t1", "gone"].map((id) => ({ type: "tool_result" as const, tool_use_id: id, content: `of ${id}` }));
	const entries: TranscriptEntry[] = [
		answer(1, 1, ...content, { type: "text", text: "go" }, call("t1", { command: "x" }), call("t2", "odd")),
		{ role: "note", note: "resumed", at: T0 + 2_000, reason: "killed" },
		{ role: "user", at: T0 + 3_000, content: [...results, { type: "text", text: "go on" }], from: "person" },
	];
	const events: RunEvent[] = [
		...[commandStarted(1_000, 1, "t1"), agentJoined("1.1", T0 + 1_100, { command: 1 })],
		...[agentJoined("1.2", T0 + 1_200, { command: 1 }), commandStarted(1_000, 2, "t2")],
		{ ...commandEnded(2_500, 2), end: { by: "timeout", afterMs: 9_000 }, outputBytes: 4 } as RunEvent,
	];
	expect(stepsOf(entries, events)).toEqual([
		{
			...{ timestamp: time(1), source: "agent", model_name: "m", message: "go", reasoning_content: "hm" },
			tool_calls: [
				{ tool_call_id: "t1", function_name: "bash", arguments: { command: "x" } },
				{ tool_call_id: "t2", function_name: "bash", arguments: { input: "odd" } },
			],
			...{ metrics: metrics(1, 0.5), llm_call_count: 1 },
			observation: {
				results: [
					{
						...{
							source_call_id: "t1",
							content: "of t1",
							extra: { command: 1, log: "out/0001.log", duration_ms: 1_000 },
						},
						subagent_trajectory_ref: [
							{ trajectory_id: "RUN/1.1", session_id: "RUN" },
							{ trajectory_id: "RUN/1.2", session_id: "RUN" },
						],
					},
					{
						source_call_id: "t2",
						extra: {
							...{ command: 2, end: "timed out after 9 s", output_bytes: 4, log: "out/0002.log" },
							...{ has_no_result: true, duration_ms: 1_500 },
						},
					},
				],
			},
			extra: { turn: 1, stop_reason: "tool_use", hidden_thinking_blocks: 1 },
		},
		{
			timestamp: time(2),
			source: "system",
			message: "the agent was killed here and was resumed",
			extra: { note: "resumed" },
		},
		{
			...{ timestamp: time(3), source: "agent", message: "", llm_call_count: 0, extra: { has_no_calls: true } },
			observation: { results: [{ content: "of gone", extra: { tool_use_id: "gone" } }] },
		},
		{ timestamp: time(3), source: "user", message: "go on", extra: { from: "person" } },
	]);
});

test("calls that broke count with the answer that came in the end, charged or not", () => {
	const retrying = (second: number, attempt: number): RunEvent => ({
		...{ event: "turn_retrying", at: T0 + second * 1_000, agent: "1", turn: 1, attempt, waitMs: 1 },
		...{ reason: "busy", usage, costUsd: 0 },
	});
	const events = [started(1), retrying(2, 1), retrying(3, 2), ended(5)];
	const steps = stepsOf([note(2, "retried"), answer(5, 1, { type: "text", text: "done" })], events);
	expect(steps).toEqual([
		{
			...{ timestamp: time(5), source: "agent", model_name: "m", message: "done" },
			...{ metrics: metrics(2, 0.75), llm_call_count: 3 },
			extra: {
				...{ turn: 1, stop_reason: "tool_use", duration_ms: 4_000 },
				retries: [
					{ at: time(2), reason: "busy" },
					{ at: time(3), reason: "busy" },
				],
			},
		},
	]);
});

test("a call without an answer is a step, once, whether it was noted or only the log knows it", () => {
	const free = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 };
	const events = [
		...[started(0), failed(1, "refused", free), started(2), failed(3, "cut", {}), started(4), ended(5)],
		{ ...started(6, 2), purpose: "compaction" } as RunEvent,
		...[{ ...ended(7, 2), purpose: "compaction" } as RunEvent, started(8, 2)],
	];
	const content = [{ type: "text", text: "in short" } as const];
	const steps = stepsOf(
		[
			note(3, "failed", { partial: "I wi" }),
			answer(5, 1, { type: "text", text: "ok" }),
			note(7, "compaction", { turn: 2, content }),
		],
		events,
	);
	expect(steps.map(({ timestamp, message, metrics, extra }) => [timestamp, message, metrics?.cost_usd, extra])).toEqual(
		[
			[time(1), "", 0, { turn: 1, has_no_answer: true, reason: "refused" }],
			[time(3), "I wi", 0.25, { turn: 1, has_no_answer: true, reason: "cut" }],
			[time(5), "ok", 0.5, { turn: 1, stop_reason: "tool_use", duration_ms: 1_000 }],
			[time(7), "in short", 0.25, { turn: 2, purpose: "compaction" }],
			[time(8), "", 0, { turn: 2, has_no_answer: true, reason: "the call is running" }],
		],
	);
});

test("a compaction is a step of the system, with its summary", () => {
	const compaction = { turn: 3, summary: "all of it", keptMessages: 2, tokensBefore: 9_000, tokensAfter: 1_000 };
	expect(stepsOf([{ role: "note", note: "compaction", at: T0, how: "summary", ...compaction }])).toEqual([
		{
			...{ timestamp: time(0), source: "system", message: "older messages replaced by a summary: 9.0k → 1.0k tokens" },
			extra: {
				...{ note: "compaction", how: "summary", summary: "all of it", kept_messages: 2 },
				...{ tokens_before: 9_000, tokens_after: 1_000 },
			},
		},
	]);
});

test("what is not known is absent, never nothing", () => {
	const none = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
	expect(metricsOf({ usage: NO_USAGE, costUsd: 0 })).toEqual({ ...none, cost_usd: 0 });
	expect(metricsOf({ usage: { ...NO_USAGE, input: 3 }, costUsd: null })).toEqual({ ...none, prompt_tokens: 3 });
	expect(metricsOf({ usage: { ...NO_USAGE, uncounted: 2 }, costUsd: null })).toEqual({ extra: { uncounted_calls: 2 } });
});
