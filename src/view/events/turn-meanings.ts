/** Events of the turns and commands of an agent. */
import { type CommandEnd, describeCommandEnd } from "../../core/command.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { formatTokens, ordinal } from "../../text/numbers.ts";
import { describeUsage } from "../words/usage.ts";
import { after, shortReason } from "./agent-meanings.ts";
import type { EventFacts } from "./event-facts.ts";
import type { Meaning, Meanings } from "./meaning.ts";

type TurnEvents = Extract<
	RunEvent["event"],
	`turn_${string}` | `command_${string}` | "budget_noticed" | "history_compacted"
>;

export const TURN_MEANINGS: Meanings<TurnEvents> = {
	turn_queued: ({ reason }) => ({
		text: reason === undefined ? "waiting for a slot" : `waiting: ${reason}`,
		isInHistory: reason !== undefined,
	}),
	turn_started: ({ purpose, turn, isLast }, facts) => ({
		text:
			purpose === "compaction"
				? "is summarizing older messages"
				: `turn ${turn} started${isLast ? ", the last" : ""}${waited(facts)}`,
	}),
	turn_retrying: (event) => ({
		text: `turn ${event.turn}: ${retryingHow(event)}: ${event.reason}${charged(event)}`,
		...{ tone: "warn", news: "run", isInHistory: true },
		brief: `${retryingHow(event)}: ${shortReason(event.reason)}`,
	}),
	turn_ended: ({ purpose, turn, stopReason, usage, costUsd }, facts) => ({
		text: `${purpose === undefined ? `turn ${turn} ended` : "its summary ended"}${after(facts)}: ${stopReason}, ${describeUsage(usage, costUsd)}`,
	}),
	turn_failed: (event, facts) => {
		const isTurn = event.purpose === undefined; // then its agent ends, or waits for the person
		return {
			text: `${isTurn ? `turn ${event.turn}` : "its summary"} failed${after(facts)}: ${event.reason}${charged(event)}`,
			...{ tone: "bad", news: isTurn ? "conversation" : "run", isInHistory: !isTurn },
		};
	},
	turn_cancelled: (event, facts) => ({ text: `turn ${event.turn} was canceled${after(facts)}${charged(event)}` }),
	turn_refused: ({ reason }) => ({
		text: `was refused a turn: ${reason}`,
		...{ tone: "warn", news: "conversation", isInHistory: true }, // others are told that its agent has ended for that
	}),
	budget_noticed: ({ reason }) => ({
		text: `was told of its limits: ${reason}`,
		...{ tone: "warn", news: "run", isInHistory: true },
	}),
	history_compacted: ({ how, tokensBefore, tokensAfter }) => ({
		text: `replaced older messages (${how === "summary" ? "with a summary" : "old results dropped"}): ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens`,
		news: "step",
	}),
	command_started: ({ command, pid, text }) => ({
		text: `command ${command} started, pid ${pid}: ${text}`,
		...{ news: "step", brief: `$ ${text}` },
	}),
	command_ended: commandEnd,
};

/** An exit status is for the model to judge: `grep` that finds nothing has one, too. What a stop ends is told by the stop. */
function commandEnd(event: Extract<RunEvent, { event: "command_ended" }>, facts: EventFacts): Meaning {
	const { command, end, outputBytes, leftRunning } = event;
	const how = `command ${command} ended${after(facts)}: ${describeCommandEnd(end)}`;
	const left = leftRunning.map(({ pid, name }) => `${name} (${pid})`).join(", ");
	const isUsual = end.by === "exit" || end.by === "stopped";
	return {
		text: `${how}, ${outputBytes} bytes${left === "" ? "" : `, left running: ${left}`}`,
		tone: toneOfCommand(end),
		news: isUsual ? (left === "" ? undefined : "step") : "run",
		brief: `${how}${left === "" ? "" : `, left running: ${left}`}`,
	};
}

function toneOfCommand(end: CommandEnd): "bad" | "warn" | undefined {
	switch (end.by) {
		case "exit":
			return end.code === 0 ? undefined : "warn";
		case "stopped":
			return "warn";
		case "signal":
		case "timeout":
		case "not_started":
			return "bad";
	}
}

/** What needs no wait is no retry of the same: another model or another key is asked. */
function retryingHow({ attempt, waitMs }: { attempt: number; waitMs: number }): string {
	return waitMs === 0 ? "retrying immediately" : `${ordinal(attempt)} retry in ${formatWait(waitMs)}`;
}

const WORTH_SAYING_MS = 1_000;

function waited({ tookMs = 0 }: EventFacts): string {
	return tookMs < WORTH_SAYING_MS ? "" : `, after ${formatDuration(tookMs)} in the queue`;
}

/** What a call without an answer has used. */
function charged({ usage, costUsd }: { usage: Usage; costUsd: number | null }): string {
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : ` (${describeUsage(usage, costUsd)})`;
}
