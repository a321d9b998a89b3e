/** `agent why`: the chain of causes of an agent's end, or of its still being there. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import { type Why, whyLines } from "../../faces/print/why-text.ts";
import { isRecordedAlive, isRecordedSuspended, recorderOf } from "../../processes/table/open-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { supervisorOf, unwrittenEnds } from "../../record/load-run.ts";
import { readRunFile } from "../../record/read-run.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { toFile } from "../../record/spelling.ts";
import { safeJson } from "../../text/safe/safe-json.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { namesInRun } from "../../view/agents/agent-names.ts";
import type { Cause } from "../../view/cause.ts";
import { causeLine } from "../../view/cause-text.ts";
import { causesOf } from "../../view/causes.ts";
import { type CommandActivity, commandActivities } from "../../view/command-activity.ts";
import { doingGroups } from "../../view/doing-groups.ts";
import { failedGroups } from "../../view/failed-groups.ts";
import { type OpenRecord, readRecord } from "../act/read-record.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { json }) => withProcessIo((io) => why({ ref, json: json === true }, io));

export interface WhyOptions {
	/** A run without an agent: its root. */
	readonly ref?: string | undefined;
	readonly json: boolean;
}

function why(options: WhyOptions, io: Io): Promise<number> {
	return readRecord(options, io, (found) => whyOf(found, options, io));
}

function whyOf({ source, isCopy, agent = ROOT }: OpenRecord, { json }: WhyOptions, io: Io): number {
	const { run } = source;
	const found = causesIn(source, agent, { io, isCopy });
	if (found.causes.length === 0)
		throw new AgentreeError("not_found", `the event log of run ${run} has no agent ${agent}`);
	const now = io.now();
	const groups = doingGroups(found.run, agent, { activities: found.activities, now });
	const told: Why = {
		...{ run: found.run, causes: found.causes, groups, failed: failedGroups(found.run, agent) },
		names: namesInRun(Object.values(found.run.agents)),
		lastLineOf: (activity) => lastLineOf(source, found.run, activity, io),
	};
	const view = { paint: paintFor(undefined, io.isTTY, io.env.NO_COLOR), columns: io.columns, now };
	if (json) io.stdout(`${safeJson(toFile({ run, agent, ...asJson(told, now) }), "\t")}\n`);
	else io.stdout(`${whyLines(told, view).join("\n")}\n`);
	return 0;
}

interface Found {
	readonly run: RunState;
	readonly causes: readonly Cause[];
	/** Of the commands of the agent and all below it. */
	readonly activities: readonly CommandActivity[];
}

function causesIn(source: RecordedRun, agent: AgentId, { io, isCopy }: { io: Io; isCopy: boolean }): Found {
	const file = readRunFile(source.directory);
	const isSupervised = isRecordedAlive(supervisorOf(file)); // before the log: it may end meanwhile
	const values: RunEvent[] = [];
	warn(
		io,
		source.events((event) => values.push(event)),
	);
	const written = values.reduce(reduceInPlace, { ...EMPTY_RUN, agents: {} });
	const unwritten = unwrittenEnds(source.directory, written, file);
	const causes = causesOf([...values, ...unwritten], agent, isSupervised);
	const run = unwritten.reduce(reduceInPlace, written);
	const isAlive = isSupervised && run.ended === undefined;
	const activities = isAlive && !isCopy ? activitiesBelow(run, agent, source) : [];
	const isHeld = causes.length > 0 && causes[0]?.is !== "ended" && isRecordedSuspended(supervisorOf(file));
	const held: Cause[] = isHeld ? [{ is: "supervisor_suspended", at: io.now(), pid: file.supervisor.pid }] : [];
	return { run, causes: [...held, ...withActivities(causes, activities)], activities };
}

function activitiesBelow(run: RunState, root: AgentId, record: RecordedRun): CommandActivity[] {
	const agents = Object.values(run.agents).filter((agent) => !isOver(agent) && isWithin(agent.id, root));
	const ids = agents.map(({ id }) => id);
	return commandActivities(run, ids, { record, look: recorderOf(run).look() });
}

function withActivities(causes: readonly Cause[], activities: readonly CommandActivity[]): Cause[] {
	const known = new Map(activities.map((activity) => [`${activity.agent} ${activity.command}`, activity]));
	return causes.map((cause) => {
		if (cause.is !== "runs") return cause;
		return { ...cause, ...defined({ activity: known.get(`${cause.agent} ${cause.command}`) }) };
	});
}

/** The last line that is not blank, in the end of what the command has printed. */
function lastLineOf(source: RecordedRun, { agents }: RunState, { agent, command }: CommandActivity, io: Io): string {
	const log = agents[agent]?.running.find((other) => other.command === command)?.log;
	const tail = log === undefined ? undefined : orWarn(io, () => source.output(agent, log).tail());
	const lines = cleanText(tail?.text ?? "").split("\n");
	return lines.findLast((line) => line.trim() !== "") ?? "";
}

function asJson({ causes, groups, failed, names }: Why, now: number): object {
	return {
		causes: causes.map((cause) => ({ ...cause, text: causeLine(cause, now) })),
		groups: groups.map(({ members, ...group }) => {
			return { ...group, members: members.map((member) => ({ ...member, name: names.get(member.agent) ?? "" })) };
		}),
		failed,
	};
}
