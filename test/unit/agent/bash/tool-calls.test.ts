import { expect, test } from "vitest";
import { ToolCalls, type ToolCallsDeps } from "../../../../src/agent/bash/tool-calls.ts";
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
