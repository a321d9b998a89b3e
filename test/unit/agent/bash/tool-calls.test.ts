import { expect, test } from "vitest";
import {
	countRepeat,
	MAX_TOGETHER,
	type Repeats,
	shareResultRoom,
	ToolCalls,
	type ToolCallsDeps,
	withRepeatNote,
} from "../../../../src/agent/bash/tool-calls.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { Reply } from "../../../../src/wire/agent-messages.ts";

function callsOf() {
	const told: object[] = [];
	const started: string[] = [];
	const deps = {
		joined: {
			directory: "/none",
			cwd: "/",
			agent: "1",
			run: "r",
			token: "t",
			shimDirectory: "/s",
			home: "/h",
		},
		client: { tell: (message: object) => told.push(message), logs: {} },
		...{ socket: "/s", env: {}, table: {}, left: [], commandsBefore: 0, entered: Promise.resolve() },
		sandbox: {
			start: async ({ command }: { command: string }) => {
				started.push(command);
				return { is: "failed", reason: "none here" };
			},
		},
		bugs: { note: () => {} },
		pipes: { take: async () => ({ is: "failed", reason: "none here" }) },
	} as unknown as ToolCallsDeps;
	return { calls: new ToolCalls(deps), told, started };
}

const CALL = { type: "tool_use", id: "c1", name: "bash", input: { command: "echo x" } } as const;

// Seen to fail: the command was started, by an agent that had just been told to stop.
test("a stop that comes with the leave to run a command keeps it from its start", async () => {
	const { calls, told, started } = callsOf();
	const reply: Reply = { say: "reply", answer: { content: [CALL], usage: NO_USAGE }, unsure: ["c1"] };
	calls.begin(reply);
	const results = calls.run(reply);
	calls.permit("c1", undefined);
	calls.stop("the agent is being stopped");
	const { content } = await results;
	expect(content).toMatchObject([
		{ tool_use_id: "c1", content: expect.stringContaining("the agent is being stopped") },
	]);
	expect([started, told]).toEqual([[], []]);
});

test("a call waits for a permit, which may come before it is run, and one that is refused says why", async () => {
	const { calls, started } = callsOf();
	const other = { ...CALL, id: "c2" };
	const reply: Reply = {
		...{ say: "reply", answer: { content: [CALL, other], usage: NO_USAGE } },
		...{ unsure: ["c1"], refused: { c2: "a rule denies it" } },
	};
	calls.begin(reply);
	calls.permit("c1", "the person said no");
	const { content } = await calls.run(reply);
	expect(content).toMatchObject([
		{ tool_use_id: "c1", content: "Not run: the person said no" },
		{ tool_use_id: "c2", content: "Not run: a rule denies it" },
	]);
	expect(started).toEqual([]);
	expect(await calls.run({ ...reply, waits: true })).toEqual({ content: [] });
});

const after = (...pairs: [command: string, result: string][]) =>
	pairs.reduce<Repeats | undefined>((before, [command, result]) => countRepeat(before, command, result), undefined);
const same = (times: number) => Array.from({ length: times }, (): [string, string] => ["ls", "a\n"]);

test("the same command with the same result is counted, and any other begins the count anew", () => {
	expect(after(...same(4))?.times).toBe(4);
	expect(after(...same(4), ["ls", "b\n"])?.times).toBe(1);
	expect(after(...same(4), ["ls -l", "a\n"])?.times).toBe(1);
	expect(after(...same(4), ["pwd", "/\n"], ...same(2))?.times).toBe(2);
});

test("from the fifth time on the result says so in a line of its own, and not before", () => {
	const note = (times: number, result: string) => withRepeatNote({ command: "ls", result, times });
	expect(note(4, "a\n")).toBe("a\n");
	const said = "this command has given this result 5 times in a row";
	expect(note(5, "a\n")).toMatch(new RegExp(`^a\n\\[${said}: .*\\]$`));
	expect(note(5, "a")).toMatch(new RegExp(`^a\n\\[${said}`));
	expect(note(5, "")).toMatch(new RegExp(`^\\[${said}`));
	expect(note(22, "a")).toContain("22 times");
});

const long = (length: number, log?: string) => ({ text: "x".repeat(length), log });
const sum = (texts: string[]) => texts.reduce((total, { length }) => total + length, 0);

// Seen to fail when each result was cut to an equal part of the room.
test("short results stay whole, and the long ones share what those leave evenly", () => {
	const fitted = shareResultRoom([...Array.from({ length: 8 }, () => long(50_000)), long(40)]);
	expect(sum(fitted)).toBeLessThanOrEqual(MAX_TOGETHER);
	expect(sum(fitted)).toBeGreaterThan(MAX_TOGETHER - 100);
	expect(fitted.at(-1)).toBe("x".repeat(40));
	expect(new Set(fitted.slice(0, 8).map(({ length }) => length)).size).toBe(1);
});

test("thirty results of the longest kind stay within the room, and no character is cut in two", () => {
	const fitted = shareResultRoom(Array.from({ length: 30 }, () => ({ text: "🙂".repeat(25_000), log: "/l" })));
	expect(sum(fitted)).toBeLessThanOrEqual(MAX_TOGETHER);
	expect(fitted.every((text) => text.isWellFormed())).toBe(true);
});
