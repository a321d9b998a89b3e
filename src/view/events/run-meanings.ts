/** Events of the whole run. */
import type { Ending } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { formatWait } from "../../text/durations.ts";
import { describeEnding } from "../../text/states.ts";
import { after, news, toneOfEnding } from "./agent-meanings.ts";
import type { Meanings } from "./meaning.ts";

type RunEvents = Extract<RunEvent["event"], `run_${string}` | `shortage_${string}` | "calls_slowed" | "client_refused">;

export const RUN_MEANINGS: Meanings<RunEvents> = {
	run_started: (event) => ({
		text: `started by supervisor ${event.pid}, model ${event.model}${skipping(event)}: ${event.task}`,
		...{ news: "step", brief: `${event.run}, model ${event.model}` },
	}),
	run_resumed: (event) => news(`resumed by supervisor ${event.pid}${skipping(event)}`),
	run_forked: ({ from, run }) => news(`run ${run} was copied from run ${from}; earlier usage is counted there`),
	run_named: ({ name }) => news(name === "" ? "has no name now" : `is named ${name}`),
	run_stopping: ({ reason }) => ({ ...news(`is stopping: ${reason}`), tone: "warn" }),
	run_ended: ({ ending, exitCode, survivors, leftRunning = [] }, facts) => ({
		text: `ended${after(facts)}: ${describeEnding(ending)}, exit code ${exitCode}${survived(survivors)}${stayed(leftRunning)}`,
		...{ tone: toneOfRunEnding(ending), news: "run", brief: `ended${after(facts)}: ${describeEnding(ending)}` },
	}),
	calls_slowed: ({ waitMs, reason, maxCalls }) => ({
		...news(`no calls to the model for ${formatWait(waitMs)}: ${reason}; then ${maxCalls} at once`),
		tone: "warn",
	}),
	shortage_began: ({ what, reason }) => ({ ...news(`short of ${what}: ${reason}`), tone: "warn" }),
	shortage_ended: ({ what }) => ({ ...news(`no longer short of ${what}`), tone: "good" }),
	client_refused: ({ reason, others }) => ({
		...news(`closed a connection: ${reason}${others === undefined ? "" : `, after ${others} others`}`),
		tone: "warn",
	}),
};

function skipping({ skipsPermissions, noSandbox }: { skipsPermissions?: true; noSandbox?: string }): string {
	if (skipsPermissions) return ", without a sandbox or questions";
	return noSandbox === undefined ? "" : `, without a sandbox: ${noSandbox}`;
}

function toneOfRunEnding(ending: Ending) {
	return ending.by === "answer" ? "good" : toneOfEnding(ending);
}

function survived(pids: readonly number[]): string {
	return pids.length === 0 ? "" : `, still alive: ${pids.join(", ")}`;
}

function stayed(left: readonly { pid: number; name: string }[]): string {
	return left.length === 0 ? "" : `, left running: ${left.map(({ pid, name }) => `${pid} (${name})`).join(", ")}`;
}
