/** `agent why`: the chain of causes of an agent's end, or of its still being there. */
import type { Command } from "../../config/command-table.ts";
import { ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run-state.ts";
import type { Cause } from "../../events/cause.ts";
import { causeLine, causeLines } from "../../events/cause-text.ts";
import { causesOf } from "../../events/causes.ts";
import { commandActivities } from "../../events/command-activity.ts";
import { recorderOf } from "../../processes/open-table.ts";
import { supervisorOf } from "../../store/load-run.ts";
import { readEvents } from "../../store/read-events.ts";
import { readRunFile } from "../../store/read-run.ts";
import { unwrittenEnds } from "../../store/recovery/unwritten-ends.ts";
import { safeJson } from "../../text/safe-json.ts";
import { findRunFor, type Io, isProcessAlive, isProcessSuspended, stateDirectoryFor, warn } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { json }) => withProcessIo((io) => why({ ref, json: json === true }, io));

export interface WhyOptions {
	/** A run without an agent: its root. */
	readonly ref?: string | undefined;
	readonly json: boolean;
}

function why({ ref, json }: WhyOptions, io: Io): number {
	const { run, directory, agent = ROOT } = findRunFor(io, stateDirectoryFor(io), ref);
	const file = readRunFile(directory);
	const isSupervised = isProcessAlive(supervisorOf(file)); // before the log: it may end meanwhile
	const { values, damage } = readEvents(directory);
	warn(io, damage);
	const written = values.reduce(reduceInPlace, { ...EMPTY_RUN, agents: {} });
	const events = [...values, ...unwrittenEnds(directory, written, file)];
	const causes = causesOf(events, agent, isSupervised);
	if (causes.length === 0) throw new AgentreeError("not_found", `the event log of run ${run} has no agent ${agent}`);
	const isHeld = causes[0]?.is !== "ended" && isProcessSuspended(supervisorOf(file));
	const held: Cause[] = isHeld ? [{ is: "supervisor_suspended", at: io.now(), pid: file.supervisor.pid }] : [];
	const all = [...held, ...withActivities(causes, written, directory)];
	const now = io.now();
	const told = all.map((cause) => ({ ...cause, text: causeLine(cause, now) }));
	if (json) io.stdout(`${safeJson({ run, agent, causes: told }, "\t")}\n`);
	else io.stdout(`${causeLines(all, now).join("\n")}\n`);
	return 0;
}

/** The causes, those about running commands with what these do now. */
function withActivities(causes: readonly Cause[], run: RunState, directory: string): Cause[] {
	const agents = new Set(causes.flatMap((cause) => (cause.is === "runs" ? [cause.agent] : [])));
	const activities = commandActivities(run, [...agents], { directory, look: recorderOf(run).look() });
	return causes.map((cause) => {
		if (cause.is !== "runs") return cause;
		const activity = activities.find(({ agent, command }) => agent === cause.agent && command === cause.command);
		return { ...cause, ...defined({ activity }) };
	});
}
