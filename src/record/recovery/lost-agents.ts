/**
 * Agents whose directories are there and of whom the event log says nothing, since it is damaged or lost: the events that
 * their own files tell. So no number is given twice, no budget is forgotten, and nobody begins anew what was begun.
 */
import { lstatSync, readdirSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { type AgentId, type Ending, ROOT } from "../../core/model/agent.ts";
import type { AgentFile, TranscriptEntry } from "../../core/model/transcript.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { preview, TASK_PREVIEW } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { forEachEntry } from "../read-events.ts";
import { readableAgentFile } from "../read-run.ts";
import { agentDirectory } from "../run-directory.ts";

const UNKNOWN_END: Ending = { by: "crashed", reason: "its end is not in the record" };

/** The events of all lost agents; those of an agent come before those of the agents below it. */
export function lostAgents(directory: string, run: RunState): RunEvent[] {
	return agentsOnDisk(directory, ROOT).flatMap((id) =>
		run.agents[id] === undefined ? eventsOf(directory, id, run) : [],
	);
}

/** `id` and those below it that have a directory; none when it has none. */
export function agentsOnDisk(directory: string, id: AgentId): AgentId[] {
	const names = directoriesIn(agentDirectory(directory, id));
	if (names === undefined) return [];
	const children = names.filter(isAgentName).sort((a, b) => Number(a) - Number(b));
	return [id, ...children.flatMap((name) => agentsOnDisk(directory, `${id}.${name}`))];
}

/** True for the name of an agent's directory: its number among its parent's children. */
export function isAgentName(name: string): boolean {
	return /^[1-9]\d*$/.test(name);
}

/** Without links: one that leads up again would make the tree endless. */
function directoriesIn(path: string): string[] | undefined {
	try {
		if (!lstatSync(path).isDirectory()) return undefined;
		const entries = readdirSync(path, { withFileTypes: true });
		return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
	} catch {
		return undefined; // not there
	}
}

function eventsOf(directory: string, id: AgentId, run: RunState): RunEvent[] {
	const file: Partial<AgentFile> = readableAgentFile(directory, id) ?? {};
	const { joinedAt = run.startedAt, endedAt, ending, task = run.task } = file;
	const { model = run.model, limits = run.limits, role, windowTokens } = file;
	const { pid, startTime } = run; // its own are not known, and it is not alive
	const joined: RunEvent = {
		...{ event: "agent_joined", at: joinedAt, agent: id, pid: Math.max(1, pid), startTime, model, limits },
		task: preview(task, TASK_PREVIEW),
		...defined({ role, windowTokens }),
	};
	const events: RunEvent[] = [joined];
	forEachEntry(directory, id, (entry) => {
		if (entry.role === "note" && entry.note === "forked") for (const event of events) forget(event);
		events.push(...spentBy(entry, id));
	});
	const at = endedAt ?? events.at(-1)?.at ?? joinedAt;
	events.push({ event: "agent_ended", at, agent: id, ending: ending ?? UNKNOWN_END });
	return events;
}

/** What was spent before the agent was copied is another run's. */
function forget(event: RunEvent): void {
	if ("usage" in event) Object.assign(event, { usage: NO_USAGE, costUsd: 0 });
}

function spentBy(entry: TranscriptEntry, agent: AgentId): RunEvent[] {
	if (entry.role === "user") return [];
	if (entry.role === "note" && entry.note !== "call") return [];
	const { at, turn, usage, costUsd } = entry;
	const spent = { at, agent, turn, usage, costUsd };
	if (entry.role === "note") return [{ event: "turn_cancelled", ...spent }];
	return [
		{ event: "turn_started", at, agent, turn, isLast: false },
		{ event: "turn_ended", ...spent, stopReason: entry.stopReason },
	];
}
