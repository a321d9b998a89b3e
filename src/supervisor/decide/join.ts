/** Joins: whether a process may join the run, and what starts or refuses it. Pure. */

import { defined } from "../../core/defined.ts";
import { type Limits, limitsOfChild, narrow } from "../../core/limits/limits.ts";
import { type Agent, type AgentId, isOver, parentOf, ROOT } from "../../core/model/agent.ts";
import { preview, TASK_PREVIEW } from "../../core/preview.ts";
import { admit, type RefusalCode, readmit } from "../../core/run/admission.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { factsOf } from "../../models/catalogue.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { Joining, Was } from "./inputs-and-effects.ts";
import { type Decision, emit, setReported } from "./supervisor-state.ts";

const REFUSED_TASK_CHARS = 80;
/** Of refusals in the event log: who starts children on and on would fill it. Then there is one in so much time. */
const MAX_TOLD = 500;
const EVERY_MS = 1_000;

interface Refusal {
	parent: AgentId | null;
	code: RefusalCode | "unknown" | "usage";
	reason: string;
}

/** Why the process may not join; undefined when it may. */
export function joinRefusal(run: RunState, { resolved, join, taskKey }: Joining): Refusal | undefined {
	if (resolved.is === "unknown") return { parent: null, code: "unknown", reason: resolved.reason };
	if (resolved.is === "root") {
		const root = run.agents[ROOT];
		const mayStart = run.stopping === undefined && (root === undefined || isOver(root));
		return mayStart ? undefined : { parent: null, code: "stopping", reason: "the run is stopping" };
	}
	const { parent } = resolved;
	if (join.resume !== undefined) {
		const refusal = resumeRefusal(run, join.resume, { parent, hasMessage: join.task !== undefined });
		return refusal === undefined ? undefined : { parent, ...refusal };
	}
	const admission = admit(run, parent, taskKey);
	return admission.is === "refused" ? { parent, code: admission.code, reason: admission.reason } : undefined;
}

/** Refuses the process that asks to join. */
export function refuse(decision: Decision, { connection, join }: Joining, refusal: Refusal): void {
	const { code, reason } = refusal;
	const { state } = decision;
	if (state.run.refused < MAX_TOLD || Math.abs(decision.now - state.refusalToldAt) >= EVERY_MS) {
		state.refusalToldAt = decision.now;
		emit(decision, { event: "child_refused", ...refusal, task: preview(join.task ?? "", TASK_PREVIEW) });
	}
	const isLimit = code !== "usage" && code !== "unknown";
	decision.effects.push({ do: "refuse", connection, code, reason, ...(isLimit && defined({ which: whichOf(join) })) });
}

/** Of children that are started side by side: which it was. */
function whichOf({ task, resume }: Join): string | undefined {
	if (resume !== undefined) return `agent ${resume}`;
	return task && `the task: ${preview(task, REFUSED_TASK_CHARS)}`;
}

/** The ended agent that the joining process resumes; undefined when it is a new one. */
export function agentToResume(run: RunState, { resolved, join }: Joining): EndedAgent | undefined {
	const agent = run.agents[resolved.is === "root" ? ROOT : (join.resume ?? "")];
	return agent !== undefined && isOver(agent) ? agent : undefined;
}

/** Starts a new agent in the joining process and returns its id. */
export function startAgent(decision: Decision, { connection, resolved, join, taskKey, sandbox }: Joining): AgentId {
	const { run } = decision.state;
	const parent = resolved.is === "child" ? run.agents[resolved.parent] : undefined;
	const model = join.model ?? parent?.model ?? run.model;
	const { contextTokens: windowTokens } = factsOf(model, decision.state.ledger.prices);
	const agent = parent === undefined ? ROOT : `${parent.id}.${branchOf(run.agents, parent.id).lastChild + 1}`;
	emit(decision, {
		event: "agent_joined",
		agent,
		pid: resolved.is === "unknown" ? join.pid : resolved.pid,
		startTime: resolved.is === "unknown" ? "" : resolved.startTime,
		task: preview(join.task ?? run.task, TASK_PREVIEW),
		...defined({ taskKey }),
		model,
		limits: parent === undefined ? narrow(run.limits, join.limits) : limitsOfChild(parent.limits, join.limits),
		...defined({
			role: join.role,
			sandbox,
			windowTokens,
			command: resolved.is === "child" ? resolved.command : undefined,
		}),
	});
	decision.effects.push({ do: "admit", connection, agent, join });
	decision.state.slots.request(agent, false);
	return agent;
}

/** Resuming ended agents: which may be resumed, and what is decided when one is. Pure. */

type EndedAgent = Agent & { state: { is: "ended" } };
type ResumeRefusal = { code: RefusalCode | "usage"; reason: string };

/** Why the agent may not be resumed by `parent`; undefined when it may. `hasMessage`: it has a new task, even if it had answered. */
function resumeRefusal(
	run: RunState,
	target: AgentId,
	{ parent, hasMessage }: { parent: AgentId; hasMessage: boolean },
): ResumeRefusal | undefined {
	const usage = (reason: string): ResumeRefusal => ({ code: "usage", reason });
	const agent = run.agents[target];
	if (agent === undefined) return usage(`this run has no agent ${target}; see agent ps`);
	const own = parentOf(target);
	if (own !== parent)
		return usage(
			`agent ${target} is ${own === undefined ? "the root" : `a child of agent ${own}`}, and you are agent ${parent}: only its parent can resume it`,
		);
	if (!isOver(agent)) return usage(`agent ${target} has not ended`);
	const { ending } = agent.state;
	if (ending.by === "answer" && !hasMessage)
		return usage(`agent ${target} has answered; to continue it: agent resume ${target} "also do x"`);
	if (ending.by === "stopped" && run.closed.includes(target))
		return {
			code: "stopping",
			reason: `agent ${target} was stopped (${ending.reason}) and cannot be resumed in this run`,
		};
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
): AgentId {
	const { run } = decision.state;
	const { id } = agent;
	const parent = run.agents[parentOf(id) ?? ""];
	const model = join.model ?? (parent === undefined ? run.model : undefined);
	const { contextTokens: windowTokens } = factsOf(model ?? agent.model, decision.state.ledger.prices);
	emit(decision, {
		event: "agent_resumed",
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
