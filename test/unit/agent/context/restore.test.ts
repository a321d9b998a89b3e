import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { contextBytes, History } from "../../../../src/agent/context/history.ts";
import { restore } from "../../../../src/agent/context/restore.ts";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/core/model/message.ts";
import { EMPTIED, INTERRUPTED } from "../../../../src/core/model/placeholder-texts.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { CommandRecord, TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import type { Joined, Resumed } from "../../../../src/wire/agent-messages.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const call = (id: string) => ({ type: "tool_use", id, name: "bash", input: { command: "make" } }) as const;
const result = (id: string, content = "done") => ({ type: "tool_result", tool_use_id: id, content }) as const;
const record = (command: number, id: string): CommandRecord => ({
	...{ command, toolUseId: id, end: { by: "exit", code: 0 }, outputBytes: 4, log: `out/000${command}.log` },
});

function user(content: UserBlock[], ...commands: CommandRecord[]): TranscriptEntry {
	return { role: "user", content, at: 1, ...(commands.length === 0 ? {} : { commands }) };
}

function assistant(turn: number, ...content: AssistantBlock[]): TranscriptEntry {
	const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
	return { role: "assistant", content, at: 1, turn, model: "m", stopReason, usage: NO_USAGE, costUsd: 0 };
}

const LOST: Resumed = { reason: "crashed: its supervisor died", children: [], damage: [] };

function restored(
	lines: (TranscriptEntry | string)[],
	changes: Partial<Resumed> = {},
	logs: string[] = [],
	{ contextTokens = 1000, ...others }: Partial<Pick<Joined, "contextTokens" | "isConversation" | "task">> = {},
) {
	const run = mkdtempSync(join(tmpdir(), "agentree-restore-"));
	onTestFinished(() => rmSync(run, { recursive: true, force: true }));
	const directory = join(run, "1", "2");
	mkdirSync(join(directory, "out"), { recursive: true });
	for (const log of logs) writeFileSync(join(directory, "out", log), "");
	for (const line of lines)
		appendFileSync(join(directory, "transcript.jsonl"), `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
	const joined: Joined = {
		...{ say: "joined", run: "r1", agent: "1.2", token: "t", task: "build it", cwd: "/", directory, home: run },
		...{ shimDirectory: "/", model: "m", limits: DEFAULT_LIMITS, promptBytes: 9, contextTokens, compactAt: 0.8 },
		...{ printsAnswer: true, pipes: [] },
		...others,
	};
	const history = new History();
	return { history, ...restore(history, joined, { ...LOST, ...changes }) };
}

/** What the model is sent first. */
function firstRequest({ history, firstMessage }: ReturnType<typeof restored>): Message[] {
	history.add({ role: "user", content: firstMessage.content });
	return history.requestMessages;
}

test("the calls under way get a result that says so, and none is run", () => {
	const before = restored([user([text("build it")]), assistant(1, text("First make."), call("a"), call("b"))]);
	expect(before.lastWords).toBe("First make.");
	expect(firstRequest(before)).toEqual([
		{ role: "user", content: [text("build it")] },
		{ role: "assistant", content: [text("First make."), call("a"), call("b")] },
		{
			role: "user",
			content: [
				{ ...result("a", INTERRUPTED), is_error: true },
				{ ...result("b", INTERRUPTED), is_error: true },
				text(
					"You were interrupted (crashed: its supervisor died) and have now been resumed. No command was run again, and interrupted work may be partly done: check before you repeat anything.",
				),
			],
		},
	]);
});

test("command numbers go on after all that were ever used, also those whose end was never written down", () => {
	const lines = [user([text("build it")]), assistant(1, call("a")), user([result("a")], record(2, "a"))];
	expect(restored(lines).commands).toBe(2);
	expect(restored(lines, {}, ["0001.log", "0002.log", "0005.log", "notes.txt"]).commands).toBe(5);
	expect(restored([]).commands).toBe(0);
});

test("child agents are named of which the transcript does not know yet, with their words and how to take them up", () => {
	const lines = [
		user([text("build it")]),
		assistant(1, call("a")),
		user([result("a")], record(1, "a")),
		assistant(2, call("b")),
	];
	const child = (agent: string, command: number, hasAnswered: boolean, lastWords: string) => ({
		...{ agent, task: `task of ${agent}`, lastWords, hasAnswered, command, transcript: `/r/${agent}` },
	});
	const children = [
		child("1.2.1", 1, true, "known"),
		child("1.2.2", 1, false, "known, too"),
		child("1.2.3", 2, true, "42"),
		child("1.2.4", 2, false, "I look at a.c"),
		child("1.2.5", 2, false, ""),
	];
	const words = restored(lines, { children }).firstMessage.content.at(-1);
	const [, ...named] = (words?.type === "text" ? words.text : "").split("\n\n");
	const up = (agent: string) =>
		`To resume it, run in bash: agent resume ${agent} - it continues with its own history, and its stdout is its answer.`;
	expect(named).toEqual([
		"Your agent 1.2.3 (task of 1.2.3) had answered:\n42",
		`Your agent 1.2.4 (task of 1.2.4) had not answered. Its last words: I look at a.c\n${up("1.2.4")}`,
		`Your agent 1.2.5 (task of 1.2.5) had not answered. It had not said anything.\n${up("1.2.5")}`,
	]);
});

test("an answer is not the last words of what is asked after it", () => {
	const lines = [user([text("build it")]), assistant(1, text("Built."))];
	expect(restored(lines).lastWords).toBe("Built.");
	expect(restored(lines, { message: "test it" }).lastWords).toBe("");
	expect(
		restored([...lines.slice(0, 1), assistant(1, text("First."), call("a"))], { message: "go on" }).lastWords,
	).toBe("First.");
	expect(restored([...lines, user([text("test it")]), assistant(2, call("a"))], { message: "go on" }).lastWords).toBe(
		"",
	);
});

test("an answer is told whole, or how much of it and where the rest is; also when nobody knows who asked for it", () => {
	// Seen to fail with 4,000 characters and no word of the rest, and with silence where the command is not known.
	const told = (child: object, contextTokens = 200_000) => {
		const transcript = "/r/1/2/1/transcript.jsonl";
		const before = { agent: "1.2.1", task: "t", hasAnswered: true, command: 1, transcript };
		const children = [{ ...before, lastWords: "", ...child }];
		const words = restored([user([text("build it")])], { children }, [], { contextTokens }).firstMessage.content.at(-1);
		return (words?.type === "text" ? words.text : "").split("\n\n").at(-1);
	};
	const long = "a".repeat(50_000);
	expect(told({ lastWords: long })).toBe(`Your agent 1.2.1 (t) had answered:\n${long}`);
	expect(told({ lastWords: long, characters: 70_000 })).toBe(
		`Your agent 1.2.1 (t) had answered:\n${long}…\n[cut: 50000 of 70000 characters; the whole text: agent show 1.2.1, or the last line of /r/1/2/1/transcript.jsonl]`,
	);
	expect(told({ lastWords: long }, 8_000)).toContain(`\n${"a".repeat(8000)}…\n[cut: 8000 of 50000 characters;`);
	expect(told({ lastWords: "42", command: undefined })).toBe(
		"Your agent 1.2.1 (t) had answered (you may have seen this already: which command started it is unknown):\n42",
	);
});

test("to an agent that had answered just the message is said, to another one also the message", () => {
	const answered = restored([user([text("build it")]), assistant(1, text("Built."))], {
		...{ reason: "answer", isAtRest: true },
		message: "Test it.",
	});
	expect(answered.firstMessage.content).toEqual([text("Test it.")]);
	const words = restored([user([text("build it")])], { message: "Test it." }).firstMessage.content.at(-1);
	expect(words?.type === "text" && words.text.endsWith("\n\nAlso: Test it.")).toBe(true);
});

test("who has named /tmp in a command is told when that is empty now, and nobody else", () => {
	const command = (id: string, words: string) => ({ ...call(id), input: { command: words } });
	const told = (words: string, changes: Partial<Resumed>) =>
		restored([user([text("build it")]), assistant(1, command("a", words)), user([result("a")])], {
			...{ isAtRest: true, message: "Test it." },
			...changes,
		}).firstMessage.content;
	const said = text("Test it.");
	expect(told("make > /tmp/log", { hasNewTmp: true })).toEqual([text(EMPTIED), said]);
	expect(told("make > $(mktemp)", { hasNewTmp: true })).toEqual([text(EMPTIED), said]);
	expect(told("make > /tmp/log", {})).toEqual([said]);
	expect(told("make", { hasNewTmp: true })).toEqual([said]);
});

test("an agent that was ended when it had answered, and before it said so, has nothing more to do", () => {
	// Seen to fail in resume-loop.test.ts: it asked for one more turn.
	const lines = [user([text("build it")]), assistant(1, text("Built."))];
	expect(restored(lines).answer).toBe("Built.");
	expect(restored(lines, { message: "Test it." })).not.toHaveProperty("answer");
	// Seen to fail with a budget that was raised on resume: the report at the limit was taken for the answer.
	expect(restored(lines, { reason: "limit: budget reached (max-tokens 9 …)" })).not.toHaveProperty("answer");
	for (const last of [assistant(2, text(" ")), assistant(2, call("a")), user([text("Stop here")])])
		expect(restored([...lines, last])).not.toHaveProperty("answer");
});

test("without a transcript, or without its first line, the agent begins with its task", () => {
	expect(restored([]).firstMessage.content[0]).toEqual(text("build it"));
	const request = firstRequest(restored(["\0\0\0", assistant(1, call("a"))]));
	expect(request[0]).toEqual({ role: "user", content: [text("build it")] });
	expect(request[1]?.role).toBe("assistant");
});

test("what cannot be read is left out and said, one line for each kind", () => {
	const lines = [user([text("build it")]), "{", "\0\0", "{", assistant(1, text("Built."))];
	const before = restored(lines, { damage: ["the last line was torn"] });
	expect(before.damage).toEqual([
		"the last line was torn",
		"transcript.jsonl: 2 lines: not valid JSON, skipped (the first: line 2)",
		"transcript.jsonl line 3: contains NUL bytes, skipped",
	]);
	expect(before.history.requestMessages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("of more than a request may carry the task and the newest rounds are held", () => {
	// Seen to fail without `fit`: 9 MB were held.
	const lines = [user([text("build it")])];
	for (let n = 1; n <= 90; n++)
		lines.push(assistant(n, call(`c${n}`)), user([result(`c${n}`, "x".repeat(100_000))], record(n, `c${n}`)));
	const { history } = restored(lines);
	expect(contextBytes(history.context)).toBeLessThan(2.1 * 1024 * 1024);
	const messages = history.requestMessages;
	expect(messages[0]?.content[0]).toEqual(text("build it"));
	expect(messages.at(-2)).toEqual({ role: "assistant", content: [call("c90")] });
	expect(JSON.stringify(messages).match(/were omitted when this agent was resumed/g)).toHaveLength(1);
});

test("rounds that a compaction had replaced stay replaced", () => {
	const round = (n: number) => [assistant(n, call(`c${n}`)), user([result(`c${n}`)], record(n, `c${n}`))];
	const compaction: TranscriptEntry = {
		...{ role: "note", note: "compaction", at: 1, turn: 2, how: "summary", summary: "Made all." },
		...{ keptMessages: 2, tokensBefore: 900, tokensAfter: 90 },
	};
	const before = restored([user([text("build it")]), ...round(1), ...round(2), compaction, assistant(3, call("c3"))]);
	const [first, ...rest] = before.history.requestMessages;
	expect(JSON.stringify(first)).toMatch(/build it.*Made all\./);
	expect(rest.map(({ content }) => content[0])).toMatchObject([
		call("c2"),
		result("c2"),
		call("c3"),
		{ tool_use_id: "c3" },
	]);
	expect(before.commands).toBe(2);
});

test("the root of a conversation that had listened is told nothing of its end, and one that was at work is, with what is said next", () => {
	const lines = [user([text("build it")]), assistant(1, text("Built."))];
	const talk = { isConversation: true } as const;
	expect(restored(lines, { isAtRest: true }, [], talk).firstMessage.content).toEqual([]);
	const said = restored(lines, { isAtRest: true, message: "Test it." }, [], talk).firstMessage.content;
	expect(said).toEqual([text("Test it.")]);
	const atWork = restored([...lines, user([text("more")]), assistant(2, call("a"))], {}, [], talk).firstMessage.content;
	expect(atWork).toEqual([
		expect.objectContaining({ type: "tool_result", tool_use_id: "a" }),
		text(expect.stringMatching(/^You were interrupted \(crashed: its supervisor died\)/)),
	]);
});

test("a conversation that was begun without words has no task to begin with", () => {
	expect(restored([], { isAtRest: true }, [], { isConversation: true, task: "" }).firstMessage.content).toEqual([]);
});
