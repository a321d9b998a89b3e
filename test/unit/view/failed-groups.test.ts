import { expect, test } from "vitest";
import type { Ending } from "../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../src/core/run/run-state.ts";
import { failedGroups } from "../../../src/view/failed-groups.ts";
import { agentJoined, runStarted, T0 } from "../record/fabricate.ts";

const ended = (agent: string, ending: Ending): RunEvent => ({ event: "agent_ended", at: T0, agent, ending });
const failed = (agent: string, reason: string) => ended(agent, { by: "failure", reason, exitCode: 1 });

test("agents that failed alike are one group, the largest first; who was stopped, or has answered, has not failed", () => {
	const ids = ["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.10"];
	const ends = [
		failed("1", "all is lost"),
		ended("1.1", { by: "killed", signal: "SIGKILL" }),
		failed("1.10", "no such file"),
		failed("1.2", "no such file"),
		ended("1.3", { by: "stopped", reason: "agent stop", signal: 15 }),
		ended("1.4", { by: "answer" }),
	];
	const run = [runStarted(), ...ids.map((id) => agentJoined(id, T0)), ...ends].reduce(reduce, EMPTY_RUN);
	expect(failedGroups(run, "1")).toEqual([
		{ text: "failure: no such file", agents: ["1.2", "1.10"] },
		{ text: "killed by SIGKILL", agents: ["1.1"] },
	]);
	expect(failedGroups(run, "1.2")).toEqual([]);
});
