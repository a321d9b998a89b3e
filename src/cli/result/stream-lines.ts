/** The lines of stream-json, but for the last. Pure. */

import { type AgentId, parentOf, ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { MessageEntry } from "../../core/transcript.ts";
import type { AgentPiece } from "./answer-pieces.ts";
import { place, type StreamScene, type StreamSettings, usageLine } from "./result-line.ts";

/** The line for an event; undefined for the many events that the messages tell, too. */
export function eventLineOf(event: RunEvent, { settings, run }: StreamScene): object | undefined {
	const system = (agent: AgentId, subtype: string, facts: object) => {
		return { type: "system", subtype, ...facts, ...place(agent, settings, run) };
	};
	switch (event.event) {
		case "agent_joined":
		case "agent_resumed":
			return joinedLine(event.agent, settings, run);
		case "agent_ended":
			return system(event.agent, "agent_ended", { ending: event.ending });
		case "turn_retrying": {
			const { turn, attempt, waitMs, reason } = event;
			return system(event.agent, "turn_retrying", { turn, attempt, wait_ms: waitMs, reason });
		}
		case "history_compacted": {
			const { how, tokensBefore, tokensAfter } = event;
			const metadata = { trigger: "auto", pre_tokens: tokensBefore, post_tokens: tokensAfter, how };
			return system(event.agent, "compact_boundary", { compact_metadata: metadata });
		}
		case "budget_noticed":
			return system(event.agent, "budget_noticed", { reason: event.reason });
		case "message_unheard":
			return system(event.agent, "message_unheard", { from: event.from, text: event.text });
		case "agent_changed": {
			const { model, effort, limits, reason, windowTokens } = event;
			const facts = defined({ model, effort, limits, reason, window_tokens: windowTokens });
			return system(event.agent, "agent_changed", facts);
		}
		case "calls_slowed": {
			const { reason, waitMs, maxCalls } = event;
			return system(ROOT, "calls_slowed", { reason, wait_ms: waitMs, max_calls: maxCalls });
		}
		case "question_asked":
		case "question_refused":
		case "question_answered":
		case "question_withdrawn":
			return system(event.agent, event.event, questionFacts(event));
	}
	return undefined;
}

type QuestionFacts = Extract<RunEvent, { event: `question_${string}` }>;

/** In the shape of `agent questions --json`. */
function questionFacts(asked: QuestionFacts): object {
	const { event, at, agent, ...facts } = asked;
	if (!("what" in facts)) return facts;
	const { what, ...others } = facts;
	return { ...others, ...what };
}

/** A piece of an answer that streams, in the shape of the Messages API's stream. */
export function pieceLine({ agent, turn, event }: AgentPiece, { settings, run }: StreamScene): object {
	const parent_tool_use_id = parentCallOf(agent, run);
	return { type: "stream_event", event, turn, parent_tool_use_id, ...place(agent, settings, run) };
}

function joinedLine(agent: AgentId, settings: StreamSettings, run: RunState): object {
	const { model, limits, task } = run.agents[agent] ?? run;
	const subtype = agent === ROOT ? "init" : "agent_started";
	return {
		type: "system",
		subtype,
		cwd: run.worktrees?.[agent]?.cwd ?? settings.cwd,
		tools: ["bash"],
		model,
		task,
		limits,
		version: settings.version,
		...place(agent, settings, run),
	};
}

export function messageLine(agent: AgentId, entry: MessageEntry, { settings, run }: StreamScene): object {
	const common = { parent_tool_use_id: parentCallOf(agent, run), ...place(agent, settings, run) };
	if (entry.role === "user") return { type: "user", message: { role: "user", content: entry.content }, ...common };
	const { content, model, stopReason, usage, messageId, turn } = entry;
	const message = {
		id: messageId ?? `${agent}-${turn}`,
		type: "message",
		role: "assistant",
		model,
		content,
		stop_reason: stopReason,
		stop_sequence: null,
		usage: usageLine(usage),
	};
	return { type: "assistant", message, ...common };
}

/** The tool call whose command has started the agent, while that command runs. */
function parentCallOf(agent: AgentId, run: RunState): string | null {
	const parent = run.agents[parentOf(agent) ?? ""];
	const command = run.agents[agent]?.command;
	return parent?.running.find((running) => running.command === command)?.toolUseId ?? null;
}
