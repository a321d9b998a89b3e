/**
 * What stdout gets. text: nothing from here, the root agent prints its answer itself. json: one object at the end.
 * stream-json: one object a line, as users of other agents' stream-json know it (system/init, assistant, user, last
 * result), with agent_id, parent_agent_id, depth and pid on each.
 */
import type { Printed } from "../agent/print.ts";
import type { OutputFormat } from "../config/run-options.ts";
import { type AgentId, depthOf, type Ending, parentOf, ROOT } from "../core/agent.ts";
import { textOf, type Usage } from "../core/model.ts";
import type { RunEvent } from "../core/run-event.ts";
import { agentsInOrder, type RunState, totalsOf } from "../core/run-state.ts";
import type { MessageEntry, TranscriptEntry } from "../core/transcript.ts";
import type { RunSettings } from "../supervisor/admit.ts";
import type { RunEnd } from "../supervisor/run-end.ts";

export interface ResultWriter {
	onEvent(event: RunEvent, run: RunState): void;
	onRecord(agent: AgentId, entry: TranscriptEntry): void;
	/** Nobody reads stdout any more. */
	onClosed(listener: () => void): void;
	/** Resolves when all is written, or to what kept it from being written. */
	end(end: RunEnd, run: RunState): Promise<Printed>;
}

/** Once a write has failed nothing more is written; the run goes on, since its files have all of it. */
export function createResultWriter(
	format: OutputFormat,
	settings: RunSettings,
	write: (text: string) => Promise<Printed>,
): ResultWriter {
	let run: RunState | undefined;
	let lastWords = "";
	let onClosed = () => {};
	let printed: Printed = { is: "written" };
	let queue: Promise<unknown> = Promise.resolve();
	const put = (line: object) => {
		queue = queue.then(async () => {
			if (printed.is !== "written") return;
			printed = await write(`${JSON.stringify(line)}\n`);
			if (printed.is === "reader_gone") onClosed();
		});
	};
	const isStream = format === "stream-json";
	return {
		onEvent: (event, state) => {
			run = state;
			if (isStream && event.event === "agent_joined") put(joinedLine(event, settings, state));
			if (isStream && event.event === "agent_ended")
				put({ type: "system", subtype: "agent_ended", ending: event.ending, ...place(event.agent, settings, state) });
		},
		onRecord: (agent, entry) => {
			if (agent === ROOT && entry.role === "assistant") lastWords = textOf(entry.content) || lastWords;
			if (isStream && run !== undefined && entry.role !== "note") put(messageLine(agent, entry, { settings, run }));
		},
		onClosed: (listener) => {
			onClosed = listener;
		},
		end: async (end, state) => {
			if (format !== "text")
				put(resultLine(end, { settings, run: state, lastWords: end.rootFinish?.lastWords || lastWords }));
			await queue;
			return printed;
		},
	};
}

function joinedLine(event: Extract<RunEvent, { event: "agent_joined" }>, settings: RunSettings, run: RunState): object {
	const { agent, model, limits, task } = event;
	const subtype = agent === ROOT ? "init" : "agent_started";
	return {
		type: "system",
		subtype,
		cwd: settings.cwd,
		tools: ["bash"],
		model,
		task,
		limits,
		version: settings.version,
		...place(agent, settings, run),
	};
}

function messageLine(
	agent: AgentId,
	entry: MessageEntry,
	{ settings, run }: { settings: RunSettings; run: RunState },
): object {
	const common = { parent_tool_use_id: parentCallOf(agent, run), ...place(agent, settings, run) };
	if (entry.role === "user") return { type: "user", message: { role: "user", content: entry.content }, ...common };
	const { content, model, stop_reason, usage, message_id, turn } = entry;
	const message = {
		id: message_id ?? `${agent}-${turn}`,
		type: "message",
		role: "assistant",
		model,
		content,
		stop_reason,
		stop_sequence: null,
		usage: usageLine(usage),
	};
	return { type: "assistant", message, ...common };
}

function resultLine(
	end: RunEnd,
	{ settings, run, lastWords }: { settings: RunSettings; run: RunState; lastWords: string },
): object {
	const totals = totalsOf(agentsInOrder(run));
	const { ending, exitCode } = end;
	return {
		type: "result",
		subtype: subtypeOf(ending),
		is_error: ending.by !== "answer",
		duration_ms: (run.ended?.at ?? run.startedAt) - run.startedAt,
		num_turns: run.agents[ROOT]?.turns ?? 0,
		total_turns: totals.turns,
		agents: totals.agents,
		result: lastWords,
		total_cost_usd: totals.costUsd === null ? null : Number(totals.costUsd.toFixed(9)),
		usage: usageLine(totals.usage),
		ending,
		exit_code: exitCode,
		...place(ROOT, settings, run),
	};
}

/** The tool call whose command the agent was started by, while that command runs. */
function parentCallOf(agent: AgentId, run: RunState): string | null {
	const parent = run.agents[parentOf(agent) ?? ""];
	const command = run.agents[agent]?.command;
	return parent?.running.find((running) => running.command === command)?.toolUseId ?? null;
}

/** The words that readers of this format look for. */
function subtypeOf(ending: Ending): string {
	if (ending.by === "answer") return "success";
	return ending.by === "limit" && ending.limit.endsWith("turns") ? "error_max_turns" : "error_during_execution";
}

function usageLine({ input, output, cacheRead, cacheWrite }: Usage): object {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
	};
}

function place(agent: AgentId, settings: RunSettings, run: RunState): object {
	return {
		session_id: settings.run,
		agent_id: agent,
		parent_agent_id: parentOf(agent) ?? null,
		depth: depthOf(agent),
		pid: run.agents[agent]?.pid ?? null,
	};
}
