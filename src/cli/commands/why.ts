/** `agent why`: the chain of causes of an agent's end, or of its still being there. */

import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import { whyLines } from "../../faces/print/why-text.ts";
import { isRecordedAlive, isRecordedSuspended, recorderOf } from "../../processes/table/open-table.ts";
import { supervisorOf, unwrittenEnds } from "../../record/load-run.ts";
import { readRunFile } from "../../record/read-run.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { toFile } from "../../record/spelling.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { activityOf, type CommandActivity } from "../../view/agents/activity.ts";
import { nameOf } from "../../view/agents/agent-tree.ts";
import { commandActivities } from "../../view/agents/command-activity.ts";
import { RunView } from "../../view/agents/run-view.ts";
import { type Cause, causeLine } from "../../view/causes/cause.ts";
import { causesOf } from "../../view/causes/causes.ts";
import { silentParagraphs, type Why, whyOf, whyParagraphs } from "../../view/causes/why.ts";
import { type PrintingCommand, paintOf, printJson } from "../io/process-io.ts";
import { type OpenRecord, readRecord } from "../io/read-record.ts";

/** A run without an agent: its root. */
export const why: PrintingCommand = ([ref], { json }, io) =>
	readRecord({ ref }, io, (found) => showWhy(found, json === true, io));

function showWhy({ source, isCopy, agent = ROOT }: OpenRecord, json: boolean, io: Io): number {
	const { run } = source;
	const found = causesIn(source, agent, { io, isCopy });
	if (found.causes.length === 0)
		throw new AgentreeError("not_found", `the event log of run ${run} has no agent ${agent}`);
	const now = io.now();
	const view = new RunView({ run: found.run, now, activity: activityOf(found.activities) });
	const told = whyOf(view, agent, found.causes);
	if (json) {
		printJson(io, toFile({ run, agent, ...asJson(told, view) }));
		return 0;
	}
	const lastLine = (activity: CommandActivity) => lastLineOf(source, found.run, activity, io);
	const paragraphs = [...whyParagraphs(told, view), ...silentParagraphs(told, view, lastLine)];
	io.stdout(`${whyLines(paragraphs, { paint: paintOf(io), columns: io.columns }).join("\n")}\n`);
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
	return { run, causes: [...held, ...causes], activities };
}

function activitiesBelow(run: RunState, root: AgentId, record: RecordedRun): CommandActivity[] {
	const agents = Object.values(run.agents).filter((agent) => !isOver(agent) && isWithin(agent.id, root));
	const ids = agents.map(({ id }) => id);
	return commandActivities(run, ids, { record, look: recorderOf(run).look() });
}

/** The last line that is not blank, in the end of what the command has printed. */
function lastLineOf(source: RecordedRun, { agents }: RunState, { agent, command }: CommandActivity, io: Io): string {
	const log = agents[agent]?.running.find((other) => other.command === command)?.log;
	const tail = log === undefined ? undefined : orWarn(io, () => source.output(agent, log).tail());
	const lines = cleanText(tail?.text ?? "").split("\n");
	return lines.findLast((line) => line.trim() !== "") ?? "";
}

function asJson({ causes, groups, failed }: Why, view: RunView): object {
	const { now, run } = view.sight;
	return {
		causes: causes.map((cause) => ({ ...cause, text: causeLine(cause, now) })),
		groups: groups.map(({ members, ...group }) => {
			return { ...group, members: members.map((member) => ({ ...member, name: nameOf(run.agents, member.agent) })) };
		}),
		failed,
	};
}
