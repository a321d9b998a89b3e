import { expect, test } from "vitest";
import { Compactor } from "../../../src/agent/context/compaction.ts";
import { History } from "../../../src/agent/context/history.ts";
import { runLoop, type Words } from "../../../src/agent/loop.ts";
import { type UserContent, userText } from "../../../src/agent/supervisor-client.ts";
import { INTERRUPTED_BY_PERSON } from "../../../src/core/model/message-marks.ts";
import type { CallOutcome } from "../../../src/supervisor/conversations/replies.ts";
import { answer, call, fakeCalls, STOP, supervised, text } from "./supervised.ts";

const FAILED: CallOutcome = { say: "ask_failed", reason: "overloaded", exitCode: 75, partial: "" };
const REFUSED: CallOutcome = { say: "ask_refused", limit: "max-turns", reason: "too many", partial: "" };

type Step = CallOutcome | "interrupt" | "go_on" | "close" | "stop" | "compact";

interface Begin {
	first?: UserContent;
	words?: Words;
	waits?: boolean;
}

/** A supervisor whose calls end, and whose person lets the agent go on when it waits, as in a list. */
async function converse(
	steps: Step[],
	{ first = userText("count"), words = { lastWords: "" }, waits = false }: Begin = {},
) {
	const log: string[] = waits ? ["wait"] : [];
	const next = () => {
		let step = steps.shift();
		while (step === "interrupt") {
			conversation.replies.interrupt();
			step = steps.shift();
		}
		return step;
	};
	const supervisor = supervised({
		...{ isConversation: true, isWaiting: waits },
		answer: () => {
			const step = next();
			if (typeof step !== "object") throw new Error(`asked while ${step} was to come`);
			return step;
		},
		whileWaiting: (reason, replies) => {
			if (!waits) log.push(`wait${reason === undefined ? "" : `: ${reason}`}`);
			waits = false;
			switch (next()) {
				case "go_on":
					return replies.goOn();
				case "compact":
					return replies.compact();
				case "stop":
					client.stopped = STOP;
					return { say: "over", ending: STOP };
				default:
					return { say: "over", ending: { by: "answer" } };
			}
		},
	});
	const { client, conversation, asked, recorded } = supervisor;
	const history = new History();
	const compactor = new Compactor(client, history, { promptBytes: 90, contextTokens: 1_000_000, compactAt: 0.8 });
	const end = await runLoop({ client, history, compactor, calls: fakeCalls() }, { first, words, waits });
	const said = recorded.map(({ content }) => content.map((block) => ("text" in block ? block.text : block.content)));
	return { end, log, asks: asked.map(({ request }) => request.messages), said: said.flat(), left: steps.length };
}

test("the root waits after each answer, and its last one is the end of a conversation that is closed", async () => {
	const { end, log, asks, said } = await converse([answer([text("1")]), "go_on", answer([text("2")]), "close"]);
	expect([log, said]).toEqual([["wait", "wait"], ["count"]]);
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "2" });
	expect(asks[1]?.at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "Go on." }] }); // the supervisor puts the message there
});

test("what an interrupted call had said stays, with a note behind it, and the next request is in order", async () => {
	const cut = answer([text("so f")], "interrupted");
	const { log, asks, end, said } = await converse(["interrupt", cut, "go_on", answer([text("2")]), "close"]);
	expect([log, said]).toEqual([
		["wait", "wait"],
		["count", INTERRUPTED_BY_PERSON],
	]);
	expect(asks[1]?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
	expect(end.lastWords).toBe("2");
});

test("a call that was interrupted before it said anything leaves no answer in the history", async () => {
	const { asks } = await converse(["interrupt", answer([], "interrupted"), "go_on", answer([text("2")]), "close"]);
	expect(asks[1]).toEqual([
		{
			role: "user",
			content: [
				{ type: "text", text: "count" },
				{ type: "text", text: INTERRUPTED_BY_PERSON },
			],
		},
	]);
});

test("calls of an answer that comes after an interruption are not run, and the agent waits when it asks", async () => {
	const cut = answer([], "interrupted");
	const steps: Step[] = ["interrupt", answer([call("a")], "tool_use"), cut, "go_on", answer([text("2")]), "close"];
	const { log, said, left } = await converse(steps);
	expect([log, left]).toEqual([["wait", "wait"], 0]);
	expect(said).toEqual(["count", "Not run: the person interrupted", INTERRUPTED_BY_PERSON]);
});

test("an interruption that comes while the root waits ends nothing", async () => {
	const { log, said } = await converse([answer([text("1")]), "interrupt", "go_on", answer([text("2")]), "close"]);
	expect([log, said]).toEqual([["wait", "wait"], ["count"]]);
});

test("a call that fails, and a limit, after the report, end no conversation, and are told as the reason", async () => {
	const steps: Step[] = [FAILED, "go_on", REFUSED, answer([text("report")]), "go_on", answer([text("3")]), "close"];
	const { log, end } = await converse(steps);
	expect(log).toEqual([
		"wait: overloaded",
		"wait: too many: the limit applies to each message; send another one, or raise it with /limits max-turns",
		"wait",
	]);
	expect(end).toEqual({ ending: { by: "answer" }, lastWords: "3" });
});

test("where nothing is older, a summary that a person asks for is none, and the agent waits again", async () => {
	const { log, asks } = await converse([answer([text("1")]), "compact", "go_on", answer([text("2")]), "close"]);
	expect(log).toEqual(["wait", "wait: there are no older messages to summarize", "wait"]);
	expect(asks).toHaveLength(2);
});

test("a stop ends it while it waits, with the last words", async () => {
	const { end } = await converse([answer([text("1")]), "stop"]);
	expect(end).toEqual({ ending: STOP, lastWords: "1" });
});

// Seen to fail: the first message after it was interrupted, and no command ran.
test("an interruption of one that is resumed, before it begins, ends nothing that comes later", async () => {
	const options = { waits: true, first: userText() };
	const { log, said } = await converse(["interrupt", "go_on", answer([text("2")]), "close"], options);
	expect([log, said]).toEqual([["wait", "wait"], []]);
});

test("one that is resumed begins by waiting, and says what interrupted it with the message that comes then", async () => {
	const options = { waits: true, first: userText("You were interrupted"), words: { lastWords: "before" } };
	const { log, said } = await converse(["go_on", answer([text("2")]), "close"], options);
	expect([log, said]).toEqual([["wait", "wait"], ["You were interrupted"]]);
	const closed = await converse(["close"], options);
	expect([closed.end.lastWords, closed.said]).toEqual(["before", []]);
});
