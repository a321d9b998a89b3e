/**
 * A run as one trajectory in the format ATIF 1.7 of the Harbor project (its RFC 0001): that of the root, with those of the agents
 * below each agent in its `subagent_trajectories`, to which the results of the commands refer that started them. It comes in
 * pieces, a step each, so that memory holds one message of the run.
 */

import { defined } from "../../../core/defined.ts";
import { AgentreeError } from "../../../core/errors.ts";
import { type Agent, type AgentId, compareAgentIds, isOver, ROOT } from "../../../core/model/agent.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import type { AgentFile } from "../../../core/schemas/run-files.ts";
import { toFile } from "../../../record/spelling.ts";
import { exportedJson, itemsOf, orDamage, type WholeRun } from "../whole-run.ts";
import { type AtifStep, AtifSteps, isoTime, metricsOf } from "./atif-steps.ts";

const VERSION = "ATIF-v1.7";

/** The pieces of one JSON document. Throws AgentreeError("not_found") for a run of which the log knows no agent. */
export function* atifTrajectory(run: WholeRun): Generator<string> {
	const root = run.state.agents[ROOT];
	if (root === undefined)
		throw new AgentreeError(
			"not_found",
			`the event log of run ${run.state.run} has no agent, so there is no trajectory`,
		);
	yield* trajectory(run, root);
	yield "\n";
}

function* trajectory(run: WholeRun, agent: Agent): Generator<string> {
	const { source, state, damage } = run;
	const file = orDamage(damage, () => source.agentFile(agent.id));
	yield `{"schema_version":"${VERSION}","session_id":${exportedJson(state.run)},"trajectory_id":${exportedJson(idOf(run, agent.id))},`;
	yield `"agent":${exportedJson(agentOf(run, agent, file))},"steps":[`;
	let count = 0;
	for (const step of stepsOf(run, agent, file))
		yield `${count === 0 ? "" : ","}\n${exportedJson({ step_id: ++count, ...step })}`;
	yield `\n],"final_metrics":${exportedJson(finalMetrics(run, agent, count))}`;
	if (!isOver(agent))
		yield `,"notes":${exportedJson(`The agent was still running when this was written, at ${isoTime(run.now)}.`)}`;
	yield `,"extra":${exportedJson(factsOf(agent))}`;
	const children = [...branchOf(state.agents, agent.id).children].sort(compareAgentIds);
	for (const [at, child] of children.flatMap((id) => state.agents[id] ?? []).entries()) {
		yield at === 0 ? ',"subagent_trajectories":[\n' : ",\n";
		yield* trajectory(run, child);
	}
	yield children.length === 0 ? "}" : "\n]}";
}

/** At least one, as the format asks for: the task is the first message of a transcript, also of one that cannot be read. */
function* stepsOf(run: WholeRun, agent: Agent, file: AgentFile | undefined): Generator<AtifStep> {
	const timestamp = isoTime(agent.joinedAt);
	if (file !== undefined && file.system !== "") yield { timestamp, source: "system", message: file.system };
	const steps = recordedSteps(run, agent);
	const first = steps.next();
	if (first.done === true || first.value.source !== "user")
		yield { timestamp, source: "user", message: file?.task ?? agent.task };
	if (first.done !== true) yield first.value;
	yield* steps;
}

function* recordedSteps(run: WholeRun, agent: Agent): Generator<AtifStep> {
	const steps = new AtifSteps({ run: run.state.run, trajectoryOf: (child) => idOf(run, child) });
	const own = ownSteps(copiedAt(run));
	for (const item of itemsOf(run, agent)) yield* steps.take(item).map(own);
	yield* steps.rest().map(own);
}

/** When the run was copied from another one, the last time; undefined: never. */
function copiedAt({ file, eventsOf }: WholeRun): number | undefined {
	if (file.forkedFrom === undefined) return undefined;
	return eventsOf(ROOT).findLast(({ event }) => event === "run_forked")?.at;
}

/** What was copied counts in the run that it was copied from. */
function ownSteps(copied: number | undefined): (step: AtifStep) => AtifStep {
	if (copied === undefined) return (step) => step;
	const until = isoTime(copied);
	return ({ metrics, ...step }) => {
		if (step.timestamp <= until) return { ...step, is_copied_context: true };
		return metrics === undefined ? step : { ...step, metrics };
	};
}

function agentOf({ file }: WholeRun, agent: Agent, own: AgentFile | undefined): object {
	const { id, pid, model, limits } = agent;
	return {
		...{ name: "agentree", version: file.version === "" ? "unknown" : file.version, model_name: model },
		extra: { agent: id, pid, ...defined({ cwd: own?.cwd, effort: own?.effort }), limits: toFile(limits) },
	};
}

/** Tokens are the agent's own, as its steps have them; the cost is with all agents below it, as the format has it. */
function finalMetrics({ state }: WholeRun, agent: Agent, total_steps: number): object {
	const { prompt_tokens, completion_tokens, cached_tokens, cost_usd } = metricsOf(agent);
	const { agents, costUsd } = totalsWithin(state, agent.id);
	return defined({
		total_prompt_tokens: prompt_tokens,
		total_completion_tokens: completion_tokens,
		total_cached_tokens: cached_tokens,
		total_cost_usd: costUsd ?? undefined,
		total_steps,
		extra: defined({ own_cost_usd: cost_usd, turns: agent.turns, commands: agent.commands, agents }),
	});
}

function factsOf({ state, joinedAt, command }: Agent): object {
	const ended = state.is === "ended" ? { ended_at: isoTime(state.at), ending: toFile(state.ending) } : {};
	return { state: state.is, joined_at: isoTime(joinedAt), ...ended, ...defined({ started_by_command: command }) };
}

/** The same that names the agent on the command line. */
function idOf({ state }: WholeRun, agent: AgentId): string {
	return `${state.run}/${agent}`;
}
