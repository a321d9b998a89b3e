/** Causes as sentences, one line each. Pure; what agents wrote is made safe for a terminal. */

import { describeCommandEnd } from "../core/command.ts";
import { limitOfFlag } from "../core/limits/limits.ts";
import { type AgentId, type Ending, ROOT } from "../core/model/agent.ts";
import { senderName } from "../core/model/told-message.ts";
import { preview } from "../core/preview.ts";
import { factsOf } from "../models/catalogue.ts";
import { formatDuration } from "../text/durations.ts";
import { ordinal } from "../text/numbers.ts";
import { firstLine, oneLine } from "../text/safe/terminal-safe.ts";
import { questionNumbers } from "../text/states.ts";
import type { Cause } from "./cause.ts";
import { clockTime } from "./clock-time.ts";
import { describeActivity } from "./words/activity.ts";

const FROM_OUTSIDE = "; nobody in agentree sent that signal";

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
	return `${agent} is still running, because it waits for ${which}, the first of which it started at ${clockTime(at)}`;
}

function describe(cause: Cause, now: number): string {
	const at = clockTime(cause.at);
	switch (cause.is) {
		case "ended":
			return `${describeEnd(cause.agent, at, cause)}${cause.isFromOutside ? FROM_OUTSIDE : ""}`;
		case "turn_failed":
			return factsOf(cause.model).isRemote
				? `the model gave that error to ${cause.agent} in its turn ${cause.turn}, at ${at}`
				: `turn ${cause.turn} of ${cause.agent} failed by that, at ${at}`;
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
		case "paused":
			return `${cause.agent} is paused${cause.isHard ? ", its commands frozen," : ""} since ${at}, when ${senderName(cause.from)} paused ${cause.by}: agent continue ${cause.by} lets it go on`;
		case "queued":
			return cause.reason === undefined
				? `${cause.agent} is still there, because it has waited for a slot since ${at}`
				: `${cause.agent} is still there, because it has waited since ${at}: ${cause.reason}`;
		case "thinks":
			return `${cause.agent} is still running, because it has been thinking since ${at}, in its turn ${cause.turn}${waiting(cause, now)}`;
		case "runs":
			return `${cause.agent} is still running, because it has been running \`${shortCommand(cause.commandText)}\` (process ${cause.pid}) since ${at}${activityOf(cause, now)}`;
		case "between_turns":
			return `${cause.agent} is still running, because it has been between two turns since ${at}`;
		case "asks":
			return `${cause.agent} is still there, because it has been waiting for you since ${at}: ${questionNumbers(cause.questions)} (agent questions shows what it asks)`;
		case "listens":
			return `${cause.agent} is still there, because it has been waiting for you since ${at}${cause.reason === undefined ? "" : `: ${cause.reason}`}`;
		case "waits_for":
			return `${cause.agent} is still running, because it waits for ${cause.child}, which it started at ${at}`;
	}
}

function activityOf({ activity }: Extract<Cause, { is: "runs" }>, now: number): string {
	const words = activity === undefined ? "" : describeActivity(activity, now);
	return words === "" ? "" : `: ${words}`;
}

function waiting({ retry, slowed }: Extract<Cause, { is: "thinks" }>, now: number): string {
	if (slowed !== undefined && slowed.until > now)
		return `; the service takes no calls before ${clockTime(slowed.until)} (${slowed.reason})`;
	if (retry === undefined) return "";
	return `; its call broke (${retry.reason}), and is made again for the ${ordinal(retry.attempt)} time at ${clockTime(retry.nextAt)}`;
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
	const unit = limitOfFlag(limit)?.unit;
	return unit === "time" ? formatDuration(value) : String(value);
}
