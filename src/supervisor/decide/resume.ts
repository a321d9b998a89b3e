/** Resuming ended agents: which may be resumed, and what is decided when one is. Pure. */

import { defined } from "../../core/defined.ts";
import { type Limits, limitsOfChild, narrow } from "../../core/limits/limits.ts";
import { type Agent, type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import { type RefusalCode, readmit } from "../../core/run/admission.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { factsOf } from "../../models/catalogue.ts";
import { type Decision, emit, setReported } from "./decision.ts";
import type { Was } from "./effect.ts";
import type { Joining } from "./input.ts";

export type EndedAgent = Agent & { state: { is: "ended" } };
export type ResumeRefusal = { code: RefusalCode | "usage"; reason: string };

/** Why the agent may not be resumed by `parent`; undefined when it may. `hasMessage`: it has a new task, even if it had answered. */
export function resumeRefusal(
	run: RunState,
	target: AgentId,
	{ parent, hasMessage }: { parent: AgentId; hasMessage: boolean },
): ResumeRefusal | undefined {
	const usage = (reason: string): ResumeRefusal => ({ code: "usage", reason });
	const agent = run.agents[target];
	if (agent === undefined) return usage(`this run has no agent ${target}; agent ps lists its agents`);
	const own = parentOf(target);
	if (own !== parent)
		return usage(
			`agent ${target} is ${own === undefined ? "the root" : `a child of agent ${own}`}, and you are agent ${parent}: only its parent can take it up`,
		);
	if (!isOver(agent)) return usage(`agent ${target} has not ended`);
	const { ending } = agent.state;
	if (ending.by === "answer" && !hasMessage)
		return usage(`agent ${target} has answered; to go on with it say what to do: agent resume ${target} "also do x"`);
	if (ending.by === "stopped" && run.closed.includes(target))
		return { code: "stopping", reason: `agent ${target} was stopped (${ending.reason}), and stays so in this run` };
	const admission = readmit(run, parent);
	return admission.is === "refused" ? admission : undefined;
}

/** The agent's own limits, replaced by those that are asked for, and never wider than its parent may give now. */
function limitsOnResume(agent: Agent, parent: Agent | undefined, asked: Partial<Limits>, run: RunState): Limits {
	if (parent === undefined) return narrow(run.limits, asked);
	return narrow(limitsOfChild(parent.limits, {}), { ...agent.limits, ...asked });
}

/** Resumes an agent that may be resumed, and returns its id. */
export function resumeAgent(
	decision: Decision,
	{ connection, resolved, join, sandbox }: Joining,
	agent: EndedAgent,
	now: number,
): AgentId {
	const { run } = decision.state;
	const { id } = agent;
	const parent = run.agents[parentOf(id) ?? ""];
	const model = join.model ?? (parent === undefined ? run.model : undefined);
	const { contextTokens: windowTokens } = factsOf(model ?? agent.model, decision.state.ledger.prices);
	emit(decision, {
		event: "agent_resumed",
		at: now,
		agent: id,
		pid: resolved.is === "unknown" ? join.pid : resolved.pid,
		startTime: resolved.is === "unknown" ? "" : resolved.startTime,
		limits: limitsOnResume(agent, parent, join.limits, run),
		...defined({
			model: model === agent.model ? undefined : model,
			windowTokens,
			sandbox,
			command: resolved.is === "child" ? resolved.command : undefined,
		}),
	});
	decision.effects.push({ do: "admit", connection, agent: id, join, before: wasOf(agent) });
	decision.state.stops.delete(id);
	setReported(decision, id, false);
	decision.state.slots.request(id, true);
	return id;
}

function wasOf({ state, hadListened }: EndedAgent): Was {
	const isAtRest = hadListened === true || state.ending.by === "answer";
	return { was: state.ending, ...(isAtRest && { isAtRest }) };
}
