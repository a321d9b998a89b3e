import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { MAX_TYPED_CHARS } from "../../../../src/core/model/message-marks.ts";
import { leavingQuestion } from "../../../../src/faces/chat/leaving.ts";
import { noticeOf } from "../../../../src/faces/chat/output/messages.ts";
import { ended, joined, runOf, turnStarted } from "../../core/run-of.ts";
import { Chat, LISTENING, WAITING, WORKING } from "./chat-of.ts";

const PROCESS = { limits: DEFAULT_LIMITS, pid: 60, startTime: "6" };
const sent = (text: string) => ({ event: "message_sent", at: 2500, agent: "1", from: null, text }) as const;
const RUN_ENDED = { event: "run_ended", at: 4000, ending: { by: "answer" }, exitCode: 0, survivors: [] } as const;
/** A run that is gone on with, whose supervisor is there. */
const COMING = [
	...WAITING,
	ended("1"),
	RUN_ENDED,
	{ ...PROCESS, event: "run_resumed", at: 5000, version: "0.1.0" } as const,
];
const AGAIN = { ...PROCESS, event: "agent_resumed", at: 5100, agent: "1" } as const;

test("the first message begins the run, and what is said meanwhile follows it when the agent is there to get it", () => {
	const chat = new Chat().say("hello").say("and this");
	expect(chat.did()).toEqual([{ do: "begin", message: "hello" }]);
	expect(chat.input({ is: "begun" }).say("and that").hear({ say: "snapshot", state: runOf() }).did()).toEqual([]);
	expect(chat.happens(joined("1")).sent()).toEqual([
		{ say: "send", agent: "1", text: "and this" },
		{ say: "send", agent: "1", text: "and that" },
	]);
	expect(chat.happens(turnStarted("1", 1)).sent()).toEqual([]);
});

test("what is said before the agent of a run that goes on is there waits for it, and is not refused", () => {
	const chat = new Chat(...COMING).say("go on");
	expect(chat.did()).toEqual([]);
	expect(chat.happens(AGAIN).sent()).toEqual([{ say: "send", agent: "1", text: "go on" }]);
	expect(chat.happens(LISTENING).sent()).toEqual([]);
});

test("Esc before the agent is there takes back what was said since, and interrupts it as soon as it is", () => {
	// Seen to fail: it did nothing, and the agent went to work.
	const chat = new Chat().say("hello").say("and this").say("and that");
	chat.did();
	expect(chat.input({ is: "interrupt" }).did()).toEqual([
		{ do: "put_back", text: "and that" },
		{ do: "put_back", text: "and this" },
	]);
	chat.input({ is: "begun" }).hear({ say: "snapshot", state: runOf() });
	expect(chat.happens(joined("1")).sent()).toEqual([{ say: "interrupt", agent: "1" }]);
	expect(chat.happens(turnStarted("1", 1)).sent()).toEqual([]);
	const coming = new Chat(...COMING).say("go on");
	expect(coming.input({ is: "interrupt" }).did()).toEqual([{ do: "put_back", text: "go on" }]);
	expect(coming.happens(AGAIN, LISTENING).sent()).toEqual([]);
});

test("a first message that could not be sent is a draft again, and the conversation stays", () => {
	const chat = new Chat().say("hello").say("more");
	chat.did();
	chat.input({ is: "not_begun", reason: "no key" });
	expect(chat.did()).toEqual([
		{ do: "print", lines: [{ text: "no key", tone: "bad" }] },
		{ do: "put_back", text: "hello\n\nmore" },
	]);
	expect(chat.say("again").did()).toEqual([{ do: "begin", message: "again" }]);
});

test("a message is sent whether the agent waits or works; one that was refused is a draft again", () => {
	for (const events of [WAITING, WORKING]) {
		const chat = new Chat(...events).say("look at this");
		expect(chat.sent()).toEqual([{ say: "send", agent: "1", text: "look at this" }]);
		expect(chat.hear({ say: "refused", reason: "20 messages wait" }).did()).toEqual([
			{ do: "print", lines: [{ text: "20 messages wait", tone: "bad" }] },
			{ do: "put_back", text: "look at this" },
		]);
	}
});

test("what is sent at once ends the call under way, if there is one", () => {
	const message = { say: "send", agent: "1", text: "now" };
	expect(new Chat(...WORKING).say("now", true).sent()).toEqual([message, { say: "interrupt", agent: "1" }]);
	expect(new Chat(...WAITING).say("now", true).sent()).toEqual([message]);
});

test("Enter on an empty line delivers what waits, and does nothing else", () => {
	expect(new Chat(...WORKING, sent("a")).say("").sent()).toEqual([{ say: "interrupt", agent: "1" }]);
	expect(new Chat(...WORKING).say("").did()).toEqual([]);
	expect(new Chat(...WAITING).say("  ").did()).toEqual([]);
});

test("the newest message that waits can be taken back, and comes into the line", () => {
	const chat = new Chat(...WORKING, sent("a")).input({ is: "take_back" });
	expect(chat.sent()).toEqual([{ say: "withdraw", agent: "1" }]);
	expect(chat.hear({ say: "withdrawn", agent: "1", text: "a" }).did()).toEqual([{ do: "put_back", text: "a" }]);
	expect(new Chat(...WORKING).input({ is: "take_back" }).did()).toEqual([]);
});

test("Esc takes back all that waits before it interrupts", () => {
	const chat = new Chat(...WORKING, sent("a"), sent("b")).input({ is: "interrupt" });
	const withdraw = { say: "withdraw", agent: "1" };
	expect(chat.sent()).toEqual([withdraw, withdraw, { say: "interrupt", agent: "1" }]);
	expect(new Chat(...WAITING).input({ is: "interrupt" }).did()).toEqual([]);
});

test("a conversation that may not be closed any more stays", () => {
	const chat = new Chat(...WAITING).input({ is: "leave" });
	expect(chat.hear({ say: "refused", reason: "agent 1 is at work" }).state.link).toEqual({ is: "open" });
});

test("Ctrl-C interrupts, and on an empty line says that once more leaves", () => {
	const chat = new Chat(...WORKING).input({ is: "cancel", isEmpty: true });
	expect(chat.did()).toEqual([
		{ do: "send", message: { say: "interrupt", agent: "1" } },
		{ do: "hint", text: "Ctrl-C again to quit", forMs: 2000 },
	]);
	expect(new Chat(...WORKING).input({ is: "cancel", isEmpty: false }).sent()).toHaveLength(1);
	expect(new Chat(...WAITING).input({ is: "cancel", isEmpty: false }).did()).toEqual([{ do: "clear_line" }]);
});

test("Ctrl-C twice within two seconds leaves, and later not", () => {
	const twice = (ms: number) =>
		new Chat(...WAITING).input({ is: "cancel", isEmpty: true }).after(ms).input({ is: "cancel", isEmpty: true });
	expect(twice(1_999).sent()).toEqual([{ say: "close" }]);
	expect(twice(2_000).sent()).toEqual([]);
});

test("with agents that are alive a person is asked: stop, leave running, or stay", () => {
	const asked = () => new Chat(...WORKING).input({ is: "leave" }).after(50);
	expect(asked().did()).toEqual([]);
	expect(asked().state.question).toMatchObject({ is: "leaving", after: undefined });
	expect(asked().input({ is: "key", key: { is: "key", name: "escape" } }).state.question).toBeUndefined();
	expect(asked().input({ is: "key", key: { is: "text", text: "x" } }).state.question).toBeDefined();
	expect(
		asked()
			.input({ is: "key", key: { is: "text", text: "l" } })
			.did(),
	).toMatchObject([{ do: "end", end: { by: "left_running" } }]);
	const stopped = asked().input({ is: "key", key: { is: "text", text: "s" } });
	expect(stopped.sent()).toMatchObject([{ say: "stop_agent", agent: "1", isHurry: false }]);
	const end = { ...RUN_ENDED, ending: { by: "stopped", reason: "so", signal: 2 }, exitCode: 130 } as const;
	expect(stopped.happens(end).did()).toMatchObject([{ do: "end", end: { by: "stopped" } }]);
});

test("what is typed before a question is on the screen, or goes on after that, is no answer", () => {
	const type = (chat: Chat, text: string, isUnseen = false) =>
		chat.input({ is: "key", key: { is: "text", text }, isUnseen });
	const chat = type(new Chat(...WORKING).input({ is: "leave" }), "s", true);
	for (const letter of "l of this") type(chat.after(150), letter);
	expect([chat.did(), chat.state.question?.is]).toEqual([[], "leaving"]);
	expect(type(chat.after(500), "l").did()).toMatchObject([{ do: "end" }]);
});

test("who is asked leaves without an answer when nothing is at work any more", () => {
	const chat = new Chat(...WORKING).input({ is: "leave" }).happens(LISTENING);
	expect(chat.state.question).toBeUndefined();
	expect(chat.sent()).toEqual([{ say: "close" }]);
});

test("who is asked while a message is on its way is asked on, and leaves when that comes back and nothing is at work", () => {
	const chat = new Chat(...WAITING).say("hello").input({ is: "leave" });
	expect([chat.state.question, leavingQuestion(chat.state)]).toEqual([
		expect.objectContaining({ is: "leaving" }),
		"a message is queued:  s stop · l leave running · Esc cancel",
	]);
	chat.hear({ say: "refused", reason: "it takes no more messages" });
	expect([chat.state.question, chat.sent().at(-1)]).toEqual([undefined, { say: "close" }]);
});

test("a run that does not end for long is no longer waited for", () => {
	const chat = new Chat(...WAITING).input({ is: "leave" });
	chat.did();
	expect(chat.after(2_900).input({ is: "tick" }).did()).toEqual([]);
	expect(chat.after(100).input({ is: "tick" }).did()).toMatchObject([{ do: "end", end: { by: "closed" } }]);
});

test("while the run is just being started it cannot be left", () => {
	const chat = new Chat().say("hello");
	chat.did();
	expect(chat.input({ is: "leave" }).did()).toMatchObject([{ do: "hint" }]);
	expect(chat.after(2_000).input({ is: "leave" }).did()).toMatchObject([{ do: "hint" }]);
	expect(chat.input({ is: "leave" }).did()).toEqual([{ do: "end", end: { by: "signal", signal: 2 } }]);
	expect(chat.input({ is: "begun" }).input({ is: "leave" }).state.question).toBeDefined();
});

test("a child agent that is alive is asked about, too, and one that is over is not", () => {
	expect(new Chat(...WAITING, joined("1.1")).input({ is: "leave" }).state.question).toBeDefined();
	expect(new Chat(...WAITING, joined("1.1"), ended("1.1")).input({ is: "leave" }).sent()).toEqual([{ say: "close" }]);
});

// Seen to fail: it said "ended: stopped: in answer …", and that above it, too.
test("a run that is stopped by an answer says so once", () => {
	const ending = { by: "stopped", reason: "in answer to question 1: wrong way", signal: 15 } as const;
	const chat = new Chat(...WORKING).happens({ ...RUN_ENDED, ending, exitCode: 143 });
	expect(chat.printed()).toBe("the chat was stopped: in answer to question 1: wrong way");
	const told = [
		{ event: "agent_stopping", at: 1, agent: "1", reason: ending.reason },
		{ event: "run_stopping", at: 1, reason: ending.reason },
		{ event: "agent_ended", at: 2, agent: "1", ending },
	] as const;
	expect(told.flatMap((event) => noticeOf(event, 80)).map((line) => line.map(({ text }) => text).join(""))).toEqual([
		"· run: is stopping: in answer to question 1: wrong way",
	]);
});

test("a run that ends by itself ends the conversation, which says why", () => {
	const chat = new Chat(...WORKING).happens({
		...RUN_ENDED,
		ending: { by: "failure", reason: "broken", exitCode: 1 },
		exitCode: 1,
	});
	expect(chat.did()).toMatchObject([
		{ do: "print", lines: [{ text: "the chat was ended: failure: broken" }] },
		{ do: "end", end: { by: "run_ended" } },
	]);
});

test("a supervisor that is gone ends the conversation once", () => {
	const chat = new Chat(...WAITING).input({ is: "lost" });
	expect(chat.did()).toEqual([{ do: "end", end: { by: "lost" } }]);
	expect(new Chat(...WAITING).happens(RUN_ENDED).input({ is: "lost" }).did()).not.toContainEqual(
		expect.objectContaining({ end: { by: "lost" } }),
	);
});

test("a closed terminal hangs up, and an attached one leaves the run alone", () => {
	const hangUp = { is: "signal", name: "SIGHUP", number: 1, isAttached: false } as const;
	const end = { do: "end", end: { by: "signal", signal: 1 } };
	const asked = { say: "hang_up", reason: "the chat received SIGHUP", signal: 1 };
	for (const events of [WAITING, WORKING])
		expect(new Chat(...events).input(hangUp).did()).toEqual([{ do: "send", message: asked }, end]);
	expect(new Chat(...WORKING).input({ ...hangUp, isAttached: true }).did()).toEqual([end]);
	expect(new Chat().input(hangUp).did()).toEqual([end]);
});

test("where a person talks at another terminal, too, the conversation goes on there, whatever happens at this one", () => {
	for (const events of [WAITING, WORKING]) {
		const chat = new Chat(...events).hear({ say: "talkers", others: 1 });
		expect(chat.input({ is: "leave" }).did()).toEqual([{ do: "end", end: { by: "left_running" } }]);
		const signaled = chat.input({ is: "signal", name: "SIGHUP", number: 1, isAttached: false }).did();
		expect(signaled.at(-1)).toEqual({ do: "end", end: { by: "signal", signal: 1, isLeft: true } });
	}
	const alone = new Chat(...WAITING).hear({ say: "talkers", others: 1 }, { say: "talkers", others: 0 });
	expect(alone.input({ is: "leave" }).sent()).toEqual([{ say: "close" }]);
});

test("@1.2 talks to that agent, and says when it gets the message", () => {
	const chat = new Chat(...WORKING, joined("1.2")).say("@1.2 look at the tests");
	expect(chat.sent()).toEqual([{ say: "send", agent: "1.2", text: "look at the tests" }]);
	expect(chat.hear({ say: "sent", agent: "1.2", arrives: "next_call" }).printed()).toBe(
		"sent to agent 1.2: it gets the message with its next call",
	);
	const unknown = new Chat(...WORKING).say("@1.7 hello");
	expect(unknown.did()).toMatchObject([{ do: "print" }, { do: "put_back", text: "@1.7 hello" }]);
	const over = new Chat(...WORKING, joined("1.2"), ended("1.2")).say("@1.2 hello");
	expect(over.printed()).toBe("agent 1.2 has ended");
	expect(new Chat(...WORKING).say("@src/main.ts is odd").sent()).toMatchObject([{ say: "send", agent: "1" }]);
});

test("a command of the person's own runs here, and the next message carries what it printed", () => {
	const chat = new Chat(...WAITING).say("!make test");
	expect(chat.did()).toContainEqual({ do: "run_local", line: "make test" });
	chat.input({ is: "local_ended", end: { output: "1 failed\n", trouble: "exit status 2" } });
	expect(chat.printed()).toBe("exit status 2");
	chat.say("why?");
	expect(chat.sent()).toEqual([
		{
			...{ say: "send", agent: "1" },
			text: "why?\n\n[I ran this command here myself:]\n$ make test\n1 failed\n[exit status 2]",
		},
	]);
	expect(chat.say("and now?").sent()).toEqual([{ say: "send", agent: "1", text: "and now?" }]);
});

test("what is too long for the supervisor is not sent, since that would close the connection, and is a draft again", () => {
	const long = "x".repeat(MAX_TYPED_CHARS + 1);
	for (const text of [long, `@1.1 ${long}`]) {
		const chat = new Chat(...WORKING, joined("1.1")).say(text);
		expect(chat.state.asks).toEqual([]);
		expect(chat.did()).toMatchObject([{ do: "print" }, { do: "put_back", text }]);
	}
});

test("of a command with two marks the agent is told nothing", () => {
	const chat = new Chat(...WAITING)
		.say("!!env")
		.input({ is: "local_ended", end: { output: "A=1\n", trouble: undefined } });
	chat.did();
	expect(chat.say("hello").sent()).toEqual([{ say: "send", agent: "1", text: "hello" }]);
});

test("one command runs here at a time, and Ctrl-C and Esc end it before anything else", () => {
	const chat = new Chat(...WORKING).say("!sleep 60");
	chat.did();
	expect(chat.say("!date").did()).toMatchObject([{ do: "print" }, { do: "put_back", text: "!date" }]);
	expect(chat.input({ is: "cancel", isEmpty: true }).did()).toEqual([{ do: "end_local" }]);
	expect(chat.input({ is: "interrupt" }).did()).toEqual([{ do: "end_local" }]);
});

test("what many commands of the person's own printed is carried as far as there is room, the newest of it", () => {
	const chat = new Chat(...WAITING);
	for (let n = 0; n < 20; n++) {
		chat.say(`!command ${n}`);
		chat.input({ is: "local_ended", end: { output: "x".repeat(24_000), trouble: undefined } });
	}
	chat.did();
	const [sent] = chat.say("why?").sent();
	const { text } = sent as { text: string };
	expect(text.length).toBeLessThan(200_000);
	expect(text).toMatch(/^why\?\n\n\[What earlier commands printed here is left out\.\]\n\n\[I ran/);
	expect(text.match(/\$ command \d+/g)?.at(-1)).toBe("$ command 19");
});
