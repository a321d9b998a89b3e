import { expect, test } from "vitest";
import { createResultWriter } from "../../../../src/cli/result/result-writer.ts";
import type { Ending } from "../../../../src/core/model/agent.ts";
import type { ModelDelta } from "../../../../src/core/model/model.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { AssistantEntry } from "../../../../src/core/schemas/transcript.ts";
import type { Printed } from "../../../../src/terminal/print.ts";
import type { RunSettings } from "../../../../src/wire/supervise-order.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const settings = { run: "r1", cwd: "/work", version: "0.1.0" } as RunSettings;
const text = (words: string, block = 0): ModelDelta => ({ kind: "text", text: words, block });
const command = (words: string, block: number): ModelDelta => ({ kind: "command", text: words, block });
const usage = { input: 5, output: 2, cacheRead: 30, cacheWrite: 1 };

/** A writer of stream-json whose reader takes what is written when told to. */
function streaming(events: readonly RunEvent[] = [runStarted(), agentJoined("1", T0)]) {
	const written: string[] = [];
	let given = 0;
	let taken: (printed: Printed) => void = () => {};
	const writer = createResultWriter("stream-json", settings, (lines) => {
		written.push(lines);
		return new Promise((resolve) => {
			taken = resolve;
		});
	});
	let run: RunState = EMPTY_RUN;
	const dispatch = (event: RunEvent) => {
		run = reduce(run, event);
		writer.onEvent(event, run);
	};
	for (const event of events) dispatch(event);
	return {
		...{ writer, dispatch, run: () => run },
		/** Takes all that there is, and gives the lines that were not given yet. */
		read: async () => {
			for (let known = -1; known !== written.length; ) {
				known = written.length;
				await new Promise(setImmediate);
				taken({ is: "written" });
				await new Promise(setImmediate);
			}
			const lines = written.slice(given).flatMap((text) => text.trimEnd().split("\n"));
			given = written.length;
			return lines.map((line) => JSON.parse(line));
		},
	};
}

function answer(content: AssistantEntry["content"]): AssistantEntry {
	return { role: "assistant", at: T0, turn: 1, model: "m", stopReason: "end_turn", usage, costUsd: null, content };
}

test("pieces that come while a write is under way are joined, and all are out before their message", async () => {
	const { writer, read } = streaming();
	await read();
	for (const piece of ["Good", " ", "morning"]) writer.onDelta("1", 1, text(piece));
	const place = { session_id: "r1", agent_id: "1", parent_agent_id: null, depth: 0, pid: 4101 };
	const delta = (words: string) => ({
		...{ type: "stream_event", turn: 1, parent_tool_use_id: null, ...place },
		event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
	});
	expect(await read()).toEqual([delta("Good morning")]);
	writer.onDelta("1", 1, text(", world"));
	writer.onRecord("1", answer([{ type: "text", text: "Good morning, world" }]));
	expect(await read()).toMatchObject([delta(", world"), { type: "assistant" }]);
});

// Seen to fail (two lines with half a character each) when pieces were passed on as they came.
test("a character that the service splits is told whole, and half a character that stays one is replaced", async () => {
	const { writer, read } = streaming();
	await read();
	const texts = async () => (await read()).flatMap(({ event }) => (event === undefined ? [] : [event.delta.text]));
	writer.onDelta("1", 1, text("a\ud83d"));
	expect(await texts()).toEqual(["a"]);
	writer.onDelta("1", 1, text("\ude42b"));
	expect(await texts()).toEqual(["🙂b"]);
	writer.onDelta("1", 1, text("\ud83d"));
	expect(await texts()).toEqual([]);
	writer.onRecord("1", answer([{ type: "text", text: "a🙂b\ufffd" }]));
	expect(await texts()).toEqual(["\ufffd"]);
});

// Seen to fail when all pieces of one kind were one block: two commands became one.
test("the pieces of a command, joined, are the JSON of its call, one block a call", async () => {
	const { writer, read } = streaming();
	await read();
	writer.onDelta("1", 1, { kind: "thinking", text: "two", block: 0 });
	writer.onDelta("1", 1, command('echo "a', 1));
	const first = await read();
	writer.onDelta("1", 1, command('"\n\t', 1));
	writer.onDelta("1", 1, command("pwd", 2));
	const second = await read();
	writer.onRecord("1", answer([]));
	const lines = [...first, ...second, ...(await read())].filter(({ type }) => type === "stream_event");
	expect(lines[0]?.event).toEqual({
		...{ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "two" } },
	});
	const json = (index: number) =>
		lines.flatMap(({ event }) => (event.index === index ? [event.delta.partial_json] : [])).join("");
	expect([JSON.parse(json(1)), JSON.parse(json(2))]).toEqual([{ command: 'echo "a"\n\t' }, { command: "pwd" }]);
});

test("a call that is made again is told, and its pieces begin anew", async () => {
	const { writer, read, dispatch } = streaming([
		runStarted(),
		agentJoined("1", T0),
		{ event: "turn_started", at: T0, agent: "1", turn: 1, isLast: false },
	]);
	await read();
	writer.onDelta("1", 1, text("half an ans", 1));
	dispatch({
		event: "turn_retrying",
		at: T0,
		agent: "1",
		turn: 1,
		attempt: 2,
		waitMs: 500,
		reason: "cut",
		usage,
		costUsd: null,
	});
	writer.onDelta("1", 1, text("whole"));
	expect(await read()).toMatchObject([
		{ type: "stream_event", event: { index: 1, delta: { text: "half an ans" } } },
		{ type: "system", subtype: "turn_retrying", turn: 1, attempt: 2, wait_ms: 500, reason: "cut", agent_id: "1" },
		{ type: "stream_event", event: { index: 0, delta: { text: "whole" } } },
	]);
});

// Seen to fail without the bound: all 50 MB of pieces were written.
test("a reader that does not read misses pieces, never a message, and an answer's pieces are its beginning", async () => {
	const { writer, read } = streaming();
	await read();
	const piece = "x".repeat(1_000);
	for (let i = 0; i < 50_000; i++) writer.onDelta("1", 1, text(piece));
	writer.onRecord("1", answer([{ type: "text", text: "all of it" }]));
	const lines = await read();
	expect(JSON.stringify(lines).length).toBeLessThan(1_100_000);
	expect(lines.at(-1)).toMatchObject({ type: "assistant", message: { content: [{ text: "all of it" }] } });
	writer.onDelta("1", 2, text("next"));
	expect(await read()).toMatchObject([{ type: "stream_event", turn: 2, event: { delta: { text: "next" } } }]);
});

test.each<[Ending, string]>([
	[{ by: "answer" }, "success"],
	[{ by: "limit", limit: "max-turns", reason: "" }, "error_max_turns"],
	[{ by: "limit", limit: "max-total-turns", reason: "" }, "error_max_turns"],
	[{ by: "limit", limit: "max-budget-usd", reason: "" }, "error_max_budget_usd"],
	[{ by: "limit", limit: "max-tokens", reason: "" }, "error_max_tokens"],
	[{ by: "limit", limit: "max-time", reason: "" }, "error_max_time"],
	[{ by: "stopped", reason: "Ctrl-C", signal: 2 }, "error_during_execution"],
	[{ by: "failure", reason: "overloaded", exitCode: 75 }, "error_during_execution"],
])("the result of a run that ended by %j is %s", async (ending, subtype) => {
	const { writer, read, run } = streaming();
	void writer.end({ ending, exitCode: 0, survivors: [], rootFinish: undefined }, run());
	expect((await read()).at(-1)).toMatchObject({ type: "result", subtype, is_error: ending.by !== "answer" });
});

test("the result says what each agent used, alone and with all below it, and each model", async () => {
	const spent = (agent: string, costUsd: number | null): RunEvent[] => [
		{ event: "turn_started", at: T0, agent, turn: 1, isLast: false },
		{ event: "turn_ended", at: T0, agent, turn: 1, stopReason: "end_turn", usage, costUsd },
	];
	const joined = ["1", "1.1", "1.2"].map((agent) => agentJoined(agent, T0));
	const events = [runStarted(), ...joined, ...spent("1", 0.1), ...spent("1.1", 0.2), ...spent("1.2", null)];
	const run = events.reduce(reduce, EMPTY_RUN);
	let printed = "";
	const writer = createResultWriter("json", settings, async (lines) => {
		printed += lines;
		return { is: "written" };
	});
	await writer.end({ ending: { by: "answer" }, exitCode: 0, survivors: [], rootFinish: undefined }, run);
	const result = JSON.parse(printed);
	const used = (times: number) => ({
		...{ input_tokens: 5 * times, output_tokens: 2 * times },
		...{ cache_read_input_tokens: 30 * times, cache_creation_input_tokens: times },
	});
	expect([result.total_cost_usd, result.usage]).toEqual([null, used(3)]);
	const model = { inputTokens: 15, outputTokens: 6, cacheReadInputTokens: 90, cacheCreationInputTokens: 3 };
	expect(result.modelUsage).toEqual({ shell: { ...model, costUSD: null } });
	const both = { agents: 3, num_turns: 3, usage: used(3), total_cost_usd: null };
	expect(result.agent_usage.slice(0, 2)).toEqual([
		{
			...{ agent_id: "1", parent_agent_id: null, model: "shell", ending: null, num_turns: 1 },
			...{ usage: used(1), total_cost_usd: 0.1, subtree: both },
		},
		{
			...{ agent_id: "1.1", parent_agent_id: "1", model: "shell", ending: null, num_turns: 1 },
			...{ usage: used(1), total_cost_usd: 0.2 },
			subtree: { agents: 1, num_turns: 1, usage: used(1), total_cost_usd: 0.2 },
		},
	]);
});
