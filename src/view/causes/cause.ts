/**
 * One link of the chain of causes: a fact of the event log, with its time; and as a sentence, in one line. What agents wrote is
 * made safe for a terminal.
 */

import { type CommandEnd, describeCommandEnd } from "../../core/bash-call.ts";
import { limitOfFlag } from "../../core/limits/limits.ts";
import { type AgentId, type Ending, ROOT } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/message-marks.ts";
import { preview } from "../../core/preview.ts";
import { factsOf } from "../../models/catalogue.ts";
import { formatDuration } from "../../text/durations.ts";
import { ordinal } from "../../text/numbers.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { type CommandActivity, describeActivity } from "../agents/activity.ts";
import { clockTime } from "../words/clock-time.ts";
import { questionNumbers } from "../words/question.ts";

/** `isFromOutside`: the end came by a signal that nothing in the log explains, so nothing in agentree has sent it. */
export type Cause =
	| {
			readonly is: "ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly pid: number;
			readonly ending: Ending;
			readonly isFromOutside?: true;
	  }
	/** The failed call that ended its agent. */
	| {
			readonly is: "turn_failed";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** The model of the agent. */
			readonly model: string;
			readonly reason: string;
	  }
	/** `agent`: the highest ancestor with this value, from which the agents below have inherited it. */
	| {
			readonly is: "limit_set";
			readonly at: number;
			readonly agent: AgentId;
			readonly limit: string;
			readonly value: number;
	  }
	| { readonly is: "stop_asked"; readonly at: number; readonly agent: AgentId; readonly reason: string }
	/** A command of `agent` that did not end by itself. */
	| {
			readonly is: "command_ended";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly commandText: string;
			readonly end: CommandEnd;
			readonly isFromOutside?: true;
	  }
	/** The supervisor died without a word. `at`: the time of the last event. */
	| { readonly is: "supervisor_died"; readonly at: number; readonly pid: number }
	/** The supervisor lives, but was stopped by a signal, so nothing of the run goes on. `at`: when this was seen. */
	| { readonly is: "supervisor_suspended"; readonly at: number; readonly pid: number }
	/** A living agent was paused at `at`, with all below `by`. `from`: the agent that has done that, null for a person. */
	| {
			readonly is: "paused";
			readonly at: number;
			readonly agent: AgentId;
			readonly by: AgentId;
			readonly from: AgentId | null;
			readonly isHard?: true;
	  }
	/** A living agent waits since `at`: for a slot, or for what `reason` says. */
	| { readonly is: "queued"; readonly at: number; readonly agent: AgentId; readonly reason?: string }
	| {
			readonly is: "thinks";
			readonly at: number;
			readonly agent: AgentId;
			readonly turn: number;
			/** Set when the agent's call failed and is retried. */
			readonly retry?: { readonly attempt: number; readonly nextAt: number; readonly reason: string };
			/** The newest time that the service asked for fewer calls; set when the call is not one that is made again. */
			readonly slowed?: { readonly reason: string; readonly until: number };
	  }
	| {
			readonly is: "runs";
			readonly at: number;
			readonly agent: AgentId;
			readonly command: number;
			readonly pid: number;
			readonly commandText: string;
			/** Whether it gets on, where that was looked at. */
			readonly activity?: CommandActivity;
	  }
	| { readonly is: "between_turns"; readonly at: number; readonly agent: AgentId }
	/** A living agent has waited since `at` for a person to answer these questions. */
	| { readonly is: "asks"; readonly at: number; readonly agent: AgentId; readonly questions: readonly number[] }
	/** The root of a conversation waits for a message. `reason`: why it gave no answer, if it did not. */
	| { readonly is: "listens"; readonly at: number; readonly agent: AgentId; readonly reason?: string }
	| { readonly is: "waits_for"; readonly at: number; readonly agent: AgentId; readonly child: AgentId };

const FROM_OUTSIDE = "; the signal did not come from agentree";

const MOST_COMMAND_CHARACTERS = 80;
const MOST_CHILDREN_NAMED = 5;

type Waits = Extract<Cause, { is: "waits_for" }>;

export function causeLine(cause: Cause, now: number): string {
	return oneLine(describe(cause, now));
}

/** The chain of causes as lines. An agent that waits for several children has one line, before that of the first child. */
export function causeLines(causes: readonly Cause[], now: number): string[] {
	const waitsOf = new Map<AgentId, Waits[]>();
	for (const cause of causes) {
		if (cause.is !== "waits_for") continue;
		const known = waitsOf.get(cause.agent);
		if (known === undefined) waitsOf.set(cause.agent, [cause]);
		else known.push(cause);
	}
	return causes.flatMap((cause) => {
		if (cause.is !== "waits_for") return [causeLine(cause, now)];
		const waits = waitsOf.get(cause.agent) ?? [];
		if (cause !== waits[0]) return [];
		return [
			waits.length === 1
				? causeLine(cause, now)
				: waitsForSeveral(
						cause,
						waits.map(({ child }) => child),
					),
		];
	});
}

function waitsForSeveral({ agent, at }: Cause & { agent: string }, children: readonly string[]): string {
	const named = children.slice(0, MOST_CHILDREN_NAMED).join(", ");
	const which = children.length > MOST_CHILDREN_NAMED ? `${named} … (${children.length} in all)` : named;
	return `${agent} is still running because it is waiting for ${which}, the first started at ${clockTime(at)}`;
}

function describe(cause: Cause, now: number): string {
	const at = clockTime(cause.at);
	switch (cause.is) {
		case "ended":
			return `${describeEnd(cause.agent, at, cause)}${cause.isFromOutside ? FROM_OUTSIDE : ""}`;
		case "turn_failed":
			return factsOf(cause.model).isRemote
				? `the model returned that error to ${cause.agent} in turn ${cause.turn} at ${at}`
				: `that failed turn ${cause.turn} of ${cause.agent} at ${at}`;
		case "limit_set":
			return `${cause.limit} ${worded(cause.limit, cause.value)} was set for ${cause.agent === ROOT ? "the run" : `agent ${cause.agent} and all below it`} at ${at}`;
		case "stop_asked":
			return `${cause.agent === ROOT ? "the run" : `agent ${cause.agent}`} was asked to stop at ${at}: ${cause.reason}`;
		case "command_ended":
			return `${commandOf(cause)} ended at ${at}: ${describeCommandEnd(cause.end)}${cause.isFromOutside ? FROM_OUTSIDE : ""}`;
		case "supervisor_died":
			return `the supervisor (process ${cause.pid}) died without reporting; its last record is from ${at}`;
		case "supervisor_suspended":
			return `the supervisor (process ${cause.pid}) is suspended; to continue the run: kill -CONT ${cause.pid}, or fg`;
		case "paused":
			return `${cause.agent} has been paused${cause.isHard ? ", with its commands frozen," : ""} since ${at}, when ${senderName(cause.from)} paused ${cause.by}; to continue: agent continue ${cause.by}`;
		case "queued":
			return cause.reason === undefined
				? `${cause.agent} has not ended because it has been waiting for a slot since ${at}`
				: `${cause.agent} has not ended because it has been waiting since ${at}: ${cause.reason}`;
		case "thinks":
			return `${cause.agent} is still running because it has been thinking since ${at}, in turn ${cause.turn}${waiting(cause, now)}`;
		case "runs":
			return `${cause.agent} is still running because it has been running \`${shortCommand(cause.commandText)}\` (process ${cause.pid}) since ${at}${activityOf(cause, now)}`;
		case "between_turns":
			return `${cause.agent} is still running because it has been between turns since ${at}`;
		case "asks":
			return `${cause.agent} has not ended because it has been awaiting you since ${at}: ${questionNumbers(cause.questions)} (see agent questions)`;
		case "listens":
			return `${cause.agent} has not ended because it has been waiting for you since ${at}${cause.reason === undefined ? "" : `: ${cause.reason}`}`;
		case "waits_for":
			return `${cause.agent} is still running because it is waiting for ${cause.child}, which it started at ${at}`;
	}
}

function activityOf({ activity }: Extract<Cause, { is: "runs" }>, now: number): string {
	const words = activity === undefined ? "" : describeActivity(activity, now);
	return words === "" ? "" : `: ${words}`;
}

function waiting({ retry, slowed }: Extract<Cause, { is: "thinks" }>, now: number): string {
	if (slowed !== undefined && slowed.until > now)
		return `; the service accepts no calls before ${clockTime(slowed.until)} (${slowed.reason})`;
	if (retry === undefined) return "";
	return `; its call broke off (${retry.reason}), and the ${ordinal(retry.attempt)} retry is at ${clockTime(retry.nextAt)}`;
}

/** The command's text is recorded when it starts: a command that could not be started has none. */
function commandOf({ command, agent, commandText }: Extract<Cause, { is: "command_ended" }>): string {
	return `command ${command} of ${agent}${commandText === "" ? "" : `, \`${shortCommand(commandText)}\`,`}`;
}

/** Only the beginning of a long script is shown, which tells it apart from others; `agent show` has the whole. */
function shortCommand(text: string): string {
	const first = firstLine(text);
	const shown = preview(first, MOST_COMMAND_CHARACTERS);
	return shown === first && first !== oneLine(text) ? `${first} …` : shown;
}

function describeEnd(agent: string, at: string, { ending, pid }: { ending: Ending; pid: number }): string {
	switch (ending.by) {
		case "answer":
			return `${agent} answered at ${at}`;
		case "failure":
			return `${agent} failed at ${at}: ${ending.reason}`;
		case "limit":
			return `${agent} reached a limit at ${at}: ${ending.reason}`;
		case "stopped":
			return `${agent} was stopped at ${at}${/^agent \S+ above it/.test(ending.reason) ? ", because " : ": "}${ending.reason}`;
		case "killed":
			if (ending.isInferred)
				return `${agent} was killed at ${at} (process ${pid}) by an unseen signal, most likely ${ending.signal}`;
			return `${agent} was killed by ${ending.signal} at ${at} (process ${pid})`;
		case "crashed":
			return `${agent} crashed at ${at} (process ${pid}): ${ending.reason}`;
	}
}

function worded(limit: string, value: number): string {
	const unit = limitOfFlag(limit)?.unit;
	return unit === "time" ? formatDuration(value) : String(value);
}
