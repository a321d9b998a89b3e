/** The lines above a transcript: which agent, under which limits, how it stands, its children. Pure. */
import { type Agent, type AgentId, isOver, parentOf } from "../core/agent.ts";
import { ageOf, describeState, firstLine, fitWidth, formatDuration, oneLine } from "../core/format.ts";
import { LIMIT_TABLE, type Limits } from "../core/limits.ts";
import { totalTokens } from "../core/model.ts";
import { agentsInOrder, type RunState } from "../core/run-state.ts";
import type { AgentFile } from "../core/transcript.ts";
import { dateTime, describeUsage } from "./event-text.ts";
import type { Paint } from "./paint.ts";
import { quoted } from "./transcript-text.ts";

export interface HeaderView {
	readonly paint: Paint;
	readonly now: number;
	readonly columns: number | undefined;
}

/** With the whole task below. `agent` is undefined when the event log does not know it. */
export function headerLines(file: AgentFile, agent: Agent | undefined, { paint, now, columns }: HeaderView): string[] {
	const effort = file.effort === undefined ? "" : `, effort ${file.effort}`;
	const pid = agent === undefined ? "" : `pid ${agent.pid}, `;
	const lines = [
		`where   ${oneLine(file.cwd)}`,
		`process ${pid}started ${dateTime(file.joined_at)}`,
		`model   ${oneLine(file.model)}${effort}`,
		`limits  ${describeLimits(file.limits)}`,
		...(agent === undefined ? ["state   not known"] : standing(agent, now)),
	];
	const cut = lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)));
	const title = paint.bold(`agent ${oneLine(file.agent)} of run ${oneLine(file.run)}`);
	return [title, ...cut, "", ...quoted(file.task, paint)];
}

/** One line a child, with the ref to show it: how it stands, how long it took, which command has started it. */
export function childrenLines(state: RunState, parent: AgentId, { now, columns }: HeaderView): string[] {
	const children = agentsInOrder(state).filter((agent) => parentOf(agent.id) === parent);
	if (children.length === 0) return [];
	const lines = children.map((child) => {
		const by = child.command === undefined ? "" : `, by command ${child.command}`;
		const how = `${describeState(child, now)}${took(child, now)}${by}`;
		return `  ${oneLine(state.run)}/${child.id}  ${how}: ${firstLine(child.task)}`;
	});
	return ["", "children", ...lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)))];
}

/** `state …` and `used …`. */
export function standing(agent: Agent, now: number): string[] {
	const turns = agent.turns === 1 ? "1 turn" : `${agent.turns} turns`;
	const isFree = totalTokens(agent.usage) === 0 && agent.costUsd === 0;
	const usage = isFree ? [] : [describeUsage(agent.usage, agent.costUsd)];
	const used = [turns, ...usage, formatDuration(ageOf(agent, now))].join(", ");
	return [`state   ${describeState(agent, now)}`, `used    ${used}`];
}

/** Of one that is over; a living one says itself since when. */
function took(agent: Agent, now: number): string {
	return isOver(agent) ? `, took ${formatDuration(ageOf(agent, now))}` : "";
}

/** `max-depth 3, max-agents 64, …`: as the flags are named. */
function describeLimits(limits: Limits): string {
	const recorded: Partial<Record<keyof Limits, number | null>> = limits; // another version may have had fewer
	return LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const limit = recorded[key] ?? undefined;
		return limit === undefined ? [] : [`${flag} ${unit === "time" ? formatDuration(limit) : limit}`];
	}).join(", ");
}
