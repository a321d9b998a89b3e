import { expect, test } from "vitest";
import { Compactor } from "../../../src/agent/context/compaction.ts";
import { History } from "../../../src/agent/context/history.ts";
import { runLoop } from "../../../src/agent/loop.ts";
import { userText } from "../../../src/agent/supervisor-client.ts";
import type { Ending } from "../../../src/core/model/agent.ts";
import type { AssistantBlock, Message } from "../../../src/core/model/message.ts";
import { HELD_BACK } from "../../../src/core/model/message-marks.ts";
import type { CallOutcome } from "../../../src/supervisor/conversations/replies.ts";
import { answer, call, fakeCalls, STOP, supervised, text } from "./supervised.ts";

const refused: Extract<CallOutcome, { say: "ask_refused" }> = {
	say: "ask_refused",
	limit: "max-turns",
	reason: "turn limit reached (max-turns 1)",
	partial: "",
};
const LIMIT: Ending = { by: "limit", limit: "max-turns", reason: "turn limit reached (max-turns 1)" };

interface Options {
	stopInCalls?: boolean;
	partial?: string;
	mayAnswerNothing?: boolean;
}

/** A supervisor whose calls end as in a list. It writes down all that it is asked and told. */
async function loopWith(steps: (CallOutcome | "stop")[], { stopInCalls, partial, mayAnswerNothing }: Options = {}) {
	const ran: string[][] = [];
	const supervisor = supervised({
		...(partial !== undefined && { partial }),
		...(mayAnswerNothing && { mayAnswerNothing }),
		answer: () => {
			const step = steps.shift();
			if (step === undefined) throw new Error("asked once too often");
			return step;
		},
	});
	const { client, asked, recorded } = supervisor;
	const history = new History();
	const calls = fakeCalls((ids) => {
		ran.push(ids);
		if (stopInCalls) client.stopped = STOP;
	});
	const compactor = new Compactor(client, history, { promptBytes: 90, contextTokens: 1_000_000, compactAt: 0.8 });
	const first = userText("count");
	const end = await runLoop({ client, history, compactor, calls }, { first, words: { lastWords: "" }, waits: false });
	const asks = asked.map(({ kind, request }) => ({ kind, messages: request.messages }));
	return { end, asks, records: recorded, ran, left: steps.length };
}

const roles = (asked: { messages: readonly Message[] } | undefined) => asked?.messages.map(({ role }) => role);

// Seen to fail (no words) when the partial text of a call that failed for a full context was dropped.
test("what had been said when the context was full is the last words, when no room can be made", async () => {
	const full: CallOutcome = { say: "ask_failed", exitCode: 1, partial: "so far", contextFull: {}, reason: "too large" };
	const { end } = await loopWith([full]);
	expect(end).toEqual({
		ending: { by: "failure", exitCode: 1, reason: expect.stringContaining("too large") },
		lastWords: "so far",
	});
});

test("the task is recorded and asked, and text without a call is the answer", async () => {
	const { end, asks, records } = await loopWith([answer([text("42")])]);
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "42" });
	expect(records).toEqual([{ content: [{ type: "text", text: "count" }] }]);
	expect(asks).toEqual([{ messages: [{ role: "user", content: [{ type: "text", text: "count" }] }], kind: "turn" }]);
});

test("calls are run, their results recorded before the next ask, in one message with what is known of the commands", async () => {
	const { end, asks, records, ran } = await loopWith([
		answer([text("look"), call("a"), call("b")], "tool_use"),
		answer([text("done")]),
	]);
	expect(ran).toEqual([["a", "b"]]);
	expect(roles(asks[1])).toEqual(["user", "assistant", "user"]);
	expect(records[1]).toMatchObject({ content: [{ tool_use_id: "a" }, { tool_use_id: "b" }] });
	expect(records[1]?.commands?.map(({ toolUseId }) => toolUseId)).toEqual(["a", "b"]);
	expect(end.lastWords).toBe("done");
});

test("at a limit the model is asked once to report, without tools, and what it says then is the last word", async () => {
	const { end, asks, records } = await loopWith([
		answer([call("a")], "tool_use"),
		refused,
		answer([text("so far: 7")]),
	]);
	expect(end).toEqual({ ending: LIMIT, lastWords: "so far: 7" });
	expect(asks.map(({ kind }) => kind)).toEqual(["turn", "turn", "last"]);
	expect(asks[2]?.messages.at(-1)?.content.map(({ type }) => type)).toEqual(["tool_result", "text"]);
	expect(records[2]?.content[0]).toMatchObject({ text: expect.stringContaining("turn limit reached (max-turns 1)") });
});

// Seen to fail (no report) when the answer with the call was the end.
test("a report in whose place a tool is asked for is asked for once more; the call is not run", async () => {
	const { end, asks, ran, records } = await loopWith([
		refused,
		{ ...answer([text("let me look"), call("a")], "tool_use"), reportsAgain: true } as CallOutcome,
		answer([text("so far: 7")]),
	]);
	expect(end).toEqual({ ending: LIMIT, lastWords: "so far: 7" });
	expect([ran, asks.map(({ kind }) => kind)]).toEqual([[], ["turn", "last", "last"]]);
	expect(records.at(-1)).toMatchObject({
		content: [{ type: "tool_result", tool_use_id: "a", content: expect.stringMatching(/^Not run: .*Report now/) }],
	});
});

test("what a call had said when no next try of it was allowed is the last word, until there is a report", async () => {
	const before = answer([text("step 1"), call("a")], "tool_use");
	const broken = { ...refused, partial: "step 2, as" };
	// Seen to fail with `step 1`, without the partial text.
	expect((await loopWith([before, broken, refused])).end).toEqual({ ending: LIMIT, lastWords: "step 2, as" });
	expect((await loopWith([before, refused, broken])).end.lastWords).toBe("step 2, as");
	expect((await loopWith([before, broken, answer([text("report")])])).end.lastWords).toBe("report");
});

test("calls in the last report are not run", async () => {
	const { end, ran } = await loopWith([refused, answer([text("I want to"), call("z")], "tool_use")]);
	expect(ran).toEqual([]);
	expect(end).toEqual({ ending: LIMIT, lastWords: "I want to" });
});

test.each([
	["refused", refused],
	["a failure", { say: "ask_failed", reason: "overloaded", exitCode: 75, partial: "" } as CallOutcome],
])("when the last report is %s, the limit is still the ending, with the newest words", async (_, last) => {
	const { end } = await loopWith([answer([text("step 1"), call("a")], "tool_use"), refused, last]);
	expect(end).toEqual({ ending: LIMIT, lastWords: "step 1" });
});

test("a call to the model that fails ends the agent with its reason and its exit code", async () => {
	const { end } = await loopWith([{ say: "ask_failed", reason: "no key", exitCode: 77, partial: "" }]);
	expect(end).toEqual({ ending: { by: "failure", reason: "no key", exitCode: 77 }, lastWords: "" });
});

test("what a call had said before it broke, or before a stop, is the last word", async () => {
	const before = answer([text("step 1"), call("a")], "tool_use");
	const broken: CallOutcome = { say: "ask_failed", reason: "cut", exitCode: 75, partial: "step 2, as far as" };
	expect((await loopWith([before, broken])).end.lastWords).toBe("step 2, as far as");
	expect((await loopWith([before, "stop"], { partial: "step 2, so" })).end.lastWords).toBe("step 2, so");
	expect((await loopWith([before, "stop"])).end.lastWords).toBe("step 1");
});

test("an answer that was cut is gone on with in the same conversation, and its parts are one answer", async () => {
	const { end, asks, records } = await loopWith([
		answer([text("one two th")], "max_tokens"),
		answer([text("ree, fo")], "max_tokens"),
		answer([text("ur")]),
	]);
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "one two three, four" });
	expect(roles(asks[2])).toEqual(["user", "assistant", "user", "assistant", "user"]);
	expect(records.length).toBe(3);
});

test("what was said before a cut and after it is kept together when the call breaks, or a limit comes", async () => {
	const cut = answer([text("one two th")], "max_tokens");
	const broken: CallOutcome = { say: "ask_failed", reason: "cut", exitCode: 75, partial: "ree" };
	expect((await loopWith([cut, broken])).end.lastWords).toBe("one two three");
	expect((await loopWith([cut, refused, answer([])])).end).toEqual({ ending: LIMIT, lastWords: "one two th" });
	expect((await loopWith([cut, refused, answer([text("report")])])).end.lastWords).toBe("report");
});

test("a call of an answer that was cut is not run, and its result says so", async () => {
	const { asks, ran } = await loopWith([
		answer([text("the first half"), call("a")], "max_tokens"),
		answer([text("done")]),
	]);
	expect(ran).toEqual([]);
	expect(asks[1]?.messages.at(-1)?.content).toMatchObject([
		{ type: "tool_result", tool_use_id: "a", content: expect.stringContaining("smaller command"), is_error: true },
	]);
});

test("thinking that the service refuses is dropped once, and the request is made again", async () => {
	const thinks: AssistantBlock = { type: "thinking", thinking: "", signature: "s" };
	const blame: CallOutcome = {
		say: "ask_failed",
		reason: "messages.1.content.0: Invalid `signature` in `thinking` block (HTTP 400, invalid_request_error, req_1)",
		exitCode: 1,
		partial: "",
		refusesThinking: true,
	};
	const first = answer([thinks, call("a")], "tool_use");
	const { end, asks } = await loopWith([first, blame, answer([text("done")])]);
	expect(end.lastWords).toBe("done");
	expect(asks[2]?.messages[1]?.content).toEqual([call("a")]);
	expect((await loopWith([first, blame, blame])).end.ending).toEqual({
		by: "failure",
		reason: blame.say === "ask_failed" && blame.reason,
		exitCode: 1,
	});
});

test("words are kept over turns that say nothing", async () => {
	const { end } = await loopWith([
		answer([text("I look"), call("a")], "tool_use"),
		answer([call("b")], "tool_use"),
		answer([]),
		answer([]),
	]);
	expect(end).toMatchObject({ ending: { by: "failure" }, lastWords: "I look" });
});

test("a model that may answer nothing does: the words of an earlier turn are not its answer", async () => {
	const { end } = await loopWith([answer([text("I look"), call("a")], "tool_use"), answer([])], {
		mayAnswerNothing: true,
	});
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "" });
});

test("told to stop while it asks, it ends so and says what it had", async () => {
	const { end } = await loopWith([answer([text("step 1"), call("a")], "tool_use"), "stop"]);
	expect(end).toEqual({ ending: STOP, lastWords: "step 1" });
});

test("told to stop while commands run, it asks no more", async () => {
	const { end, left } = await loopWith([answer([call("a")], "tool_use"), answer([text("x")])], { stopInCalls: true });
	expect(end.ending).toEqual(STOP);
	expect(left).toBe(1);
});

test("an answer that is held back is given again behind the message, and only the second one counts", async () => {
	const held = { ...answer([text("two files")]), isHeldBack: true } as CallOutcome;
	const { end, asks } = await loopWith([held, answer([text("three files")])]);
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "three files" });
	expect(asks[1]?.messages.at(-1)).toEqual({ role: "user", content: [{ type: "text", text: HELD_BACK }] });
});
