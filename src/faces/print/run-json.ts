/** Runs as programs read them. The keys are part of the interface (docs/files.md): never renamed. Pure. */

import { defined } from "../../core/defined.ts";
import { type Agent, type AgentId, compareAgentIds, type Ending, ROOT } from "../../core/model/agent.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { budgetLeft, totalsWithin } from "../../core/run/spending.ts";
import { windowOf } from "../../models/catalogue.ts";
import { toFile } from "../../record/spelling.ts";
import { nameOf } from "../../view/agents/agent-tree.ts";
import { stateWord } from "../../view/agents/doing-now.ts";
import { knownTotals, type ListedRun, stateOfRun } from "../../view/agents/listed-run.ts";

/** Keys are spelled as in the files of a run. A value that is not known is null, never absent. Times are milliseconds since the epoch. */
export function runAsJson(listed: ListedRun): object {
	const { file, state } = listed;
	const totals = knownTotals(listed);
	return toFile({
		run: file.run,
		name: file.name ?? null,
		state: stateOfRun(listed),
		pid: file.supervisor.pid,
		task: file.task,
		cwd: file.cwd,
		model: file.model,
		started_at: file.startedAt,
		ended_at: state?.ended?.at ?? file.endedAt ?? null,
		ending: state?.ended?.ending ?? file.ending ?? null,
		exit_code: state?.ended?.exitCode ?? file.exitCode ?? null,
		agent_count: totals.agents ?? null,
		failed_count: totals.failed ?? null,
		turns: totals.turns ?? null,
		tokens: totals.usage === undefined ? null : totalTokens(totals.usage),
		usage: totals.usage === undefined ? null : usageAsJson(totals.usage),
		cost_usd: totals.costUsd ?? null,
		limits: state?.limits ?? file.limits,
		refused: state?.refused ?? null,
		shortages: state?.shortages ?? null,
		/** The newest time that the service asked for fewer calls; it may be over. */
		slowed: slowedAsJson(state),
		/** The root in an array, or nothing when it has not joined; null when only run.json was read. */
		agents: state === undefined ? null : agentTree(state),
	});
}

/** The root with all below it, or nothing when it has not joined. */
function agentTree(state: RunState): object[] {
	const nodeOf = (id: AgentId): object[] => {
		const agent = state.agents[id];
		if (agent === undefined) return [];
		const children = [...branchOf(state.agents, id).children].sort(compareAgentIds).flatMap(nodeOf);
		return [{ ...agentAsJson(state, agent), name: nameOf(state.agents, id), children }];
	};
	return nodeOf(ROOT);
}

function slowedAsJson(state: RunState | undefined): object | null {
	if (state?.slowed === undefined) return null;
	const { reason, until, maxCalls } = state.slowed;
	return { reason, until, max_calls: maxCalls };
}

export function agentAsJson(state: RunState, agent: Agent): object {
	const subtree = totalsWithin(state, agent.id);
	const ended = agent.state.is === "ended" ? agent.state : undefined;
	const ending: Ending | null = ended?.ending ?? null;
	return toFile({
		agent: agent.id,
		pid: agent.pid,
		state: stateWord(agent),
		task: agent.task,
		model: agent.model,
		role: agent.role ?? null,
		sandbox: agent.sandbox ?? null,
		joined_at: agent.joinedAt,
		ended_at: ended?.at ?? null,
		ending,
		turns: agent.turns,
		commands: agent.commands,
		tokens: totalTokens(agent.usage),
		usage: usageAsJson(agent.usage),
		cost_usd: agent.costUsd,
		subtree: {
			agents: subtree.agents,
			turns: subtree.turns,
			tokens: totalTokens(subtree.usage),
			usage: usageAsJson(subtree.usage),
			cost_usd: subtree.costUsd,
		},
		limits: agent.limits,
		budget_usd_left: budgetLeft(state, agent, "max-budget-usd"),
		tokens_left: budgetLeft(state, agent, "max-tokens"),
		context_tokens: agent.contextTokens ?? null,
		window_tokens: windowOf(agent) ?? null,
		compactions: agent.compactions ?? 0,
		retry: retryAsJson(agent),
		repeats: agent.repeats ?? null,
		...pausedAsJson(agent),
		...defined({ todo: agent.todo, asking: agent.asking, outside: agent.outside }),
		running: agent.running.map(({ command, text, pid, since }) => ({ command, text, pid, since })),
	});
}

/** Only of an agent that is paused. */
function pausedAsJson(agent: Agent): object {
	const pause = pauseOf(agent);
	if (pause === undefined) return {};
	const { by, since, from, isHard = false } = pause;
	return { paused: { agent: by, since, from, is_hard: isHard } };
}

/** A call that broke and is made again at `next_at`; when that is past, it is under way. */
function retryAsJson({ state }: Agent): object | null {
	if (state.is !== "thinking" || state.retry === undefined) return null;
	const { attempt, nextAt, reason } = state.retry;
	return { attempt, next_at: nextAt, reason };
}

function usageAsJson({ input, output, cacheRead, cacheWrite, uncounted }: Usage): object {
	return { input, output, cache_read: cacheRead, cache_write: cacheWrite, ...defined({ uncounted }) };
}
