import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import type { Agent, AgentState, Ending } from "../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { ageOf, describeEnding, describeState } from "../../../src/text/states.ts";

test.each<[Ending, string]>([
	[{ by: "answer" }, "answer"],
	[{ by: "failure", reason: "model said\nno", exitCode: 1 }, "failure: model said no"],
	[{ by: "limit", limit: "max-turns", reason: "turn limit reached" }, "limit: turn limit reached"],
	[{ by: "stopped", reason: "Ctrl-C", signal: 2 }, "stopped: Ctrl-C"],
	[{ by: "killed", signal: "SIGKILL" }, "killed by SIGKILL"],
	[{ by: "killed", signal: "SIG\u001b[2J\nKILL" }, "killed by SIG KILL"],
	[{ by: "crashed", reason: "its supervisor died" }, "crashed: its supervisor died"],
])("the ending %j reads %s", (ending, text) => expect(describeEnding(ending)).toBe(text));

test.each<[AgentState, string]>([
	[{ is: "queued", since: 0 }, "queued 12s"],
	[{ is: "thinking", since: 0, turn: 3 }, "thinking 12s, turn 3"],
	[{ is: "thinking", since: 0, turn: 3, purpose: "compaction" }, "summarising older rounds 12s, turn 3"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(24_000) }, "retrying 3rd time in 12 s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(12_001) }, "retrying 3rd time in 1 s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(132_001) }, "retrying 3rd time in 2m01s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(12_000) }, "thinking (3rd retry) 12s, turn 3"],
	[{ is: "running", since: 0 }, "running 12s, 2 commands"],
	[{ is: "waiting", since: 0 }, "waiting 12s, 2 commands"],
	[{ is: "listening", since: 0 }, "waiting for you 12s"],
	[{ is: "ended", at: 5, ending: { by: "answer" } }, "ended: answer"],
])("the state %j reads %s", (state, text) => expect(describeState(agentIn(state), 12_000)).toBe(text));

test("what a state waits for is one line, and no age is negative when the time was set back", () => {
	const queued = agentIn({ is: "queued", since: 20_000, reason: "for\nmemory\u001b[2J" });
	expect(describeState(queued, 12_000)).toBe("queued 0s: for memory");
	expect(ageOf({ ...queued, joinedAt: 20_000 }, 12_000)).toBe(0);
});

function retryAt(nextAt: number) {
	return { attempt: 3, nextAt, reason: "overloaded\n" };
}

function agentIn(state: AgentState): Agent {
	const command = { text: "true", pid: 1, since: 0, log: "out/0001.log" };
	return {
		id: "1",
		pid: 1,
		startTime: "1",
		task: "t",
		model: "shell",
		limits: DEFAULT_LIMITS,
		joinedAt: 0,
		state,
		turns: 0,
		commands: 2,
		running: [
			{ ...command, command: 1, children: 0 },
			{ ...command, command: 2, children: 0 },
		],
		usage: NO_USAGE,
		costUsd: 0,
	};
}
