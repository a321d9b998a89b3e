import { expect, test } from "vitest";
import { ToolCalls, type ToolCallsDeps } from "../../../../src/agent/bash/tool-calls.ts";

function callsOf() {
	const told: object[] = [];
	const started: string[] = [];
	const deps = {
		joined: {
			asksFirst: true,
			directory: "/none",
			cwd: "/",
			agent: "1",
			run: "r",
			token: "t",
			shimDirectory: "/s",
			home: "/h",
		},
		client: { tell: (message: object) => told.push(message), logs: {} },
		...{ socket: "/s", env: {}, table: {}, left: [], commandsBefore: 0 },
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
	const results = calls.run([CALL]);
	await Promise.resolve();
	expect(told).toEqual([{ say: "may_run", call: "c1", command: "echo x" }]);
	calls.permit("c1", undefined);
	calls.stop("the agent is being stopped");
	const { content } = await results;
	expect(content).toMatchObject([
		{ tool_use_id: "c1", content: expect.stringContaining("the agent is being stopped") },
	]);
	expect([started, told]).toEqual([[], [{ say: "may_run", call: "c1", command: "echo x" }]]);
});
