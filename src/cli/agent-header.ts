/** The lines above a transcript: which agent, under which limits, how it stands, its children. Pure. */
import { type Agent, type AgentId, parentOf } from "../core/agent.ts";
import { ageOf, describeState, firstLine, fitWidth, formatDuration, oneLine } from "../core/format.ts";
import { LIMIT_TABLE, type Limits } from "../core/limits.ts";
import { agentsInOrder, type RunState } from "../core/run-state.ts";
import type { AgentFile } from "../core/transcript.ts";
import { describeUsage } from "./event-text.ts";
import type { Paint } from "./paint.ts";

export interface HeaderView {
	readonly paint: Paint;
	readonly now: number;
	readonly columns: number | undefined;
}

/** `agent` is undefined when the event log does not know it. */
export function headerLines(file: AgentFile, agent: Agent | undefined, { paint, now, columns }: HeaderView): string[] {
	const effort = file.effort === undefined ? "" : `, effort ${file.effort}`;
	const lines = [
		`task    ${firstLine(file.task)}`,
		`model   ${oneLine(file.model)}${effort}`,
		`limits  ${describeLimits(file.limits)}`,
		...(agent === undefined ? ["state   not known"] : standing(agent, now)),
	];
	const cut = lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)));
	return [paint.bold(`agent ${oneLine(file.agent)} of run ${oneLine(file.run)}`), ...cut];
}

/** One line a child, with the ref to show it. */
export function childrenLines(state: RunState, parent: AgentId, { now, columns }: HeaderView): string[] {
	const children = agentsInOrder(state).filter((agent) => parentOf(agent.id) === parent);
	if (children.length === 0) return [];
	const lines = children.map((child) => {
		return `  ${state.run}/${child.id}  ${describeState(child, now)}  ${firstLine(child.task)}`;
	});
	return ["", "children", ...lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)))];
}

/** `state …` and `used …`. */
export function standing(agent: Agent, now: number): string[] {
	const turns = agent.turns === 1 ? "1 turn" : `${agent.turns} turns`;
	const used = `${turns}, ${describeUsage(agent.usage, agent.costUsd)}, ${formatDuration(ageOf(agent, now))}`;
	return [`state   ${describeState(agent, now)}`, `used    ${used}`];
}

/** `max-depth 3, max-agents 64, …`: as the flags are named. */
function describeLimits(limits: Limits): string {
	return LIMIT_TABLE.map(({ key, flag, isTime }) => {
		return `${flag} ${isTime ? formatDuration(limits[key]) : limits[key]}`;
	}).join(", ");
}
