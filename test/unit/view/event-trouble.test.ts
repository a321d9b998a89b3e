import { expect, test } from "vitest";
import type { CommandEnd } from "../../../src/core/command.ts";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { troubleOf } from "../../../src/view/event-trouble.ts";
import { agentJoined, T0 } from "../record/fabricate.ts";

const commandEnded = (end: CommandEnd): RunEvent => {
	return { event: "command_ended", at: T0, agent: "1", command: 1, end, outputBytes: 0, leftRunning: [] };
};
const agentEnded = (by: "answer" | "crashed" | "stopped"): RunEvent => {
	const ending = by === "answer" ? { by } : by === "crashed" ? { by, reason: "x" } : { by, reason: "x", signal: 15 };
	return { event: "agent_ended", at: T0, agent: "1", ending };
};

test.each<[string, RunEvent, "bad" | "warn" | undefined]>([
	["an agent that joins", agentJoined("1", T0), undefined],
	["an answer", agentEnded("answer"), undefined],
	["a crash", agentEnded("crashed"), "bad"],
	["an agent that was stopped", agentEnded("stopped"), "warn"],
	["a command that went well", commandEnded({ by: "exit", code: 0 }), undefined],
	["an exit status, which may mean anything", commandEnded({ by: "exit", code: 1 }), "warn"],
	["a command that was killed", commandEnded({ by: "signal", signal: "SIGKILL" }), "bad"],
	["a command that took too long", commandEnded({ by: "timeout", afterMs: 1 }), "bad"],
	["a shortage", { event: "shortage_began", at: T0, what: "memory", reason: "x" }, "warn"],
])("%s", (_, event, trouble) => expect(troubleOf(event)).toBe(trouble));
