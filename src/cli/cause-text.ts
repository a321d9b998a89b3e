/** Causes as sentences, one line each. Pure; what agents wrote is made safe for a terminal. */
import { type Ending, ROOT } from "../core/agent.ts";
import type { Cause } from "../core/cause.ts";
import { describeCommandEnd } from "../core/command.ts";
import { formatDuration, oneLine } from "../core/format.ts";
import { LIMIT_TABLE } from "../core/limits.ts";
import { clockTime } from "./event-text.ts";

const FROM_OUTSIDE = "; nobody in agentree sent that signal";

export function causeLine(cause: Cause): string {
	return oneLine(describe(cause));
}

function describe(cause: Cause): string {
	const at = clockTime(cause.at);
	switch (cause.is) {
		case "ended":
			return `${describeEnd(cause.agent, at, cause)}${cause.isFromOutside ? FROM_OUTSIDE : ""}`;
		case "turn_failed":
			return `the model gave that error to ${cause.agent} in its turn ${cause.turn}, at ${at}`;
		case "limit_set":
			return `${cause.limit} ${worded(cause.limit, cause.value)} was set for ${cause.agent === ROOT ? "the run" : `agent ${cause.agent} and all below it`} at ${at}`;
		case "stop_asked":
			return `${cause.agent === ROOT ? "the run" : `agent ${cause.agent}`} was asked to stop at ${at}: ${cause.reason}`;
		case "command_ended":
			return `${commandOf(cause)} ended at ${at}: ${describeCommandEnd(cause.end)}${cause.isFromOutside ? FROM_OUTSIDE : ""}`;
		case "supervisor_died":
			return `the supervisor (process ${cause.pid}) died without a word; the last that it wrote down is of ${at}`;
		case "supervisor_suspended":
			return `the supervisor (process ${cause.pid}) is suspended: the run goes on when it gets SIGCONT (kill -CONT ${cause.pid}, or fg)`;
		case "queued":
			return `${cause.agent} is still there, because it has waited for a slot since ${at}`;
		case "thinks":
			return `${cause.agent} is still running, because it has been thinking since ${at}, in its turn ${cause.turn}`;
		case "runs":
			return `${cause.agent} is still running, because it has been running \`${cause.commandText}\` (process ${cause.pid}) since ${at}`;
		case "between_turns":
			return `${cause.agent} is still running, because it has been between two turns since ${at}`;
		case "waits_for":
			return `${cause.agent} is still running, because it waits for ${cause.child}, which it started at ${at}`;
	}
}

/** The text is recorded when a command starts: one that could not be started has none. */
function commandOf({ command, agent, commandText }: Extract<Cause, { is: "command_ended" }>): string {
	return `command ${command} of ${agent}${commandText === "" ? "" : `, \`${commandText}\`,`}`;
}

function describeEnd(agent: string, at: string, { ending, pid }: { ending: Ending; pid: number }): string {
	switch (ending.by) {
		case "answer":
			return `${agent} answered at ${at}`;
		case "failure":
			return `${agent} failed at ${at}: ${ending.reason}`;
		case "limit":
			return `${agent} was ended by a limit at ${at}: ${ending.reason}`;
		case "stopped":
			return `${agent} was stopped at ${at}${/^agent \S+ above it/.test(ending.reason) ? ", because " : ": "}${ending.reason}`;
		case "killed":
			if (ending.isInferred)
				return `${agent} was killed at ${at} (process ${pid}) by a signal that nobody here saw, most likely ${ending.signal}`;
			return `${agent} was killed by ${ending.signal} at ${at} (process ${pid})`;
		case "crashed":
			return `${agent} crashed at ${at} (process ${pid}): ${ending.reason}`;
	}
}

function worded(limit: string, value: number): string {
	const unit = LIMIT_TABLE.find(({ flag }) => flag === limit)?.unit;
	return unit === "time" ? formatDuration(value) : String(value);
}
