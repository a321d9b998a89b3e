/** Runs as programs read them. The keys are part of the interface (docs/files.md): never renamed. Pure. */
import { type Agent, type AgentId, type Ending, parentOf } from "../core/agent.ts";
import { totalTokens, type Usage } from "../core/model.ts";
import { agentsInOrder, type RunState } from "../core/run-state.ts";
import { knownTotals, type ListedRun, stateOfAgent, stateOfRun } from "./run-table.ts";

/** What is not known is null, never absent. Times are milliseconds since the epoch. */
export function runAsJson(listed: ListedRun): object {
	const { file, state } = listed;
	const totals = knownTotals(listed);
	return {
		run: file.run,
		state: stateOfRun(listed),
		pid: file.supervisor.pid,
		task: file.task,
		cwd: file.cwd,
		model: file.model,
		started_at: file.started_at,
		ended_at: state?.ended?.at ?? file.ended_at ?? null,
		ending: state?.ended?.ending ?? file.ending ?? null,
		exit_code: state?.ended?.exitCode ?? file.exit_code ?? null,
		agent_count: totals.agents ?? null,
		turns: totals.turns ?? null,
		tokens: totals.usage === undefined ? null : totalTokens(totals.usage),
		cost_usd: totals.costUsd ?? null,
		refused: state?.refused ?? null,
		/** The root in an array, or nothing when it has not joined; null when only run.json was read. */
		agents: state === undefined ? null : childrenOf(state, undefined),
	};
}

function childrenOf(state: RunState, parent: AgentId | undefined): object[] {
	return agentsInOrder(state)
		.filter((agent) => parentOf(agent.id) === parent)
		.map((agent) => agentAsJson(state, agent));
}

function agentAsJson(state: RunState, agent: Agent): object {
	const ended = agent.state.is === "ended" ? agent.state : undefined;
	const ending: Ending | null = ended?.ending ?? null;
	return {
		agent: agent.id,
		pid: agent.pid,
		state: stateOfAgent(agent),
		task: agent.task,
		model: agent.model,
		joined_at: agent.joinedAt,
		ended_at: ended?.at ?? null,
		ending,
		turns: agent.turns,
		commands: agent.commands,
		tokens: totalTokens(agent.usage),
		usage: usageAsJson(agent.usage),
		cost_usd: agent.costUsd,
		repeats: agent.repeats ?? null,
		running: agent.running.map(({ command, text, pid, since }) => ({ command, text, pid, since })),
		children: childrenOf(state, agent.id),
	};
}

function usageAsJson({ input, output, cacheRead, cacheWrite }: Usage): object {
	return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
