/** `agent stop`: ends a run or an agent, and names the processes that could not be ended. */

import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { findRunFor, type Io, stateDirectoryFor } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { safeJson } from "../../text/safe/safe-json.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { reach, type SandboxedRun, sandboxedRun } from "../inside/sandboxed-run.ts";
import { newestLiving } from "../io/newest-living.ts";
import { withProcessIo } from "../io/process-io.ts";
import { type Answer, askSupervisor, type NoAnswer } from "../stop/ask-supervisor.ts";
import { ABSENT_MS } from "../stop/connect-to-run.ts";
import {
	endAbandoned,
	endUnanswered,
	isInside,
	type LivingSupervisor,
	nameOf,
	type StopEnd,
	type Target,
	unreachable,
	wordsFor,
} from "../stop/end-unanswered.ts";
import { newestAbandoned } from "../stop/leftovers.ts";
import { stopProgress } from "../stop/stop-progress.ts";
import { isGoneWithin, supervisorProcess } from "../stop/supervisor-process.ts";

export const command: Command = ([ref], { json, now }) =>
	withProcessIo((io) => stop({ ref, isKill: now === true, json: json === true }, io));

export interface StopOptions {
	/** Undefined: the newest living run of this directory; when none lives, one whose supervisor left something alive. */
	ref: string | undefined;
	/** `--now`: at once, without SIGTERM and grace. */
	isKill: boolean;
	json: boolean;
}

const CLOSED_MS = 1_000;

export async function stop({ ref, isKill, json }: StopOptions, io: Io): Promise<number> {
	const home = stateDirectoryFor(io);
	const hidden = sandboxedRun(io, home, ref);
	if (hidden !== undefined) return stopHidden(hidden, { isKill, json }, io);
	const table = openProcessTable(io.env);
	const found = ref === undefined ? newestAlive(home, table, io) : findRunFor(io, home, ref);
	const target = { ...found, agent: found.agent ?? ROOT, isKill, table };
	const file = readRunFile(found.directory);
	const supervisor = supervisorProcess(found, file);
	const report = (end: StopEnd) => (json ? reportJson(target, end, io) : reportText(end, io));
	if (supervisor.is === "dead") return report(await endAbandoned(target, file, io));
	const unanswered = async (why: NoAnswer) => report(await endUnanswered(target, { supervisor, answer: why }, io));
	const answer = await askTwice(target, { file, supervisor }, io);
	switch (answer.is) {
		case "stopped":
		case "over":
			return report(endOf(answer, target));
		case "unknown":
			throw new AgentreeError("not_found", `run ${found.run} has no agent ${target.agent}: agent ps ${found.run}`);
		case "refused":
			if (answer.isLetIn || isInside(io)) throw new AgentreeError("refused", answer.reason);
			return unanswered({ is: "silent", why: `does not believe who asks (${answer.reason})` });
		case "closed":
		case "suspended":
		case "silent":
			return unanswered(answer);
	}
}

/** In a sandbox: only what the supervisor says is known, and nothing is ended without it. */
async function stopHidden(hidden: SandboxedRun, { isKill, json }: Omit<StopOptions, "ref">, io: Io): Promise<number> {
	const target = { ...hidden, isKill, table: openProcessTable(io.env) };
	const answer = await askSupervisor({ ...reach(hidden, io), agent: hidden.agent, isKill });
	const report = (end: StopEnd) => (json ? reportJson(target, end, io) : reportText(end, io));
	switch (answer.is) {
		case "stopped":
		case "over":
			return report(endOf(answer, target));
		case "unknown":
			throw new AgentreeError("not_found", `run ${hidden.run} has no agent ${hidden.agent}; agent ps lists its agents`);
		case "refused":
			throw new AgentreeError("refused", answer.reason);
		case "closed":
		case "suspended":
		case "silent":
			throw unreachable(
				`the supervisor of run ${hidden.run} gives no answer, and from inside a run nothing is ended without it`,
			);
	}
}

function endOf(answer: Extract<Answer, { is: "stopped" | "over" }>, target: Target): StopEnd {
	if (answer.is === "over") return { is: "over", what: `${nameOf(target)} is over already: ${answer.how}` };
	return { is: "stopped", what: nameOf(target, answer.agents), survivors: answer.survivors };
}

/** A connection that ended says nothing of the run: a supervisor that lives is asked once more. */
async function askTwice(
	target: Target,
	{ file, supervisor }: { file: RunFile; supervisor: LivingSupervisor },
	io: Io,
): Promise<Answer> {
	if (supervisor.is === "suspended") return { is: "suspended" };
	const { agent, isKill } = target;
	const now = () => supervisorProcess(target, file).is;
	const request = {
		...{ socket: file.socket, agent, isKill },
		isSuspended: () => now() === "suspended",
		isAlive: () => now() !== "dead",
		absentMs: file.endedAt === undefined ? ABSENT_MS : 0,
		onSlow: () => io.stderr(`agent: waiting for ${wordsFor(target.run, supervisor)}\n`),
		onStopping: stopProgress(nameOf(target), {
			isTerminal: io.isErrorTTY === true,
			say: (line) => io.stderr(`${line}\n`),
		}),
	};
	const answer = await askSupervisor(request);
	if (supervisor.is === "elsewhere") return answer;
	if (answer.is === "closed") return (await isGoneWithin(CLOSED_MS, supervisor)) ? answer : askSupervisor(request);
	const isDone = answer.is !== "stopped" || agent !== ROOT || readRunFile(target.directory).endedAt !== undefined;
	if (isDone || (await isGoneWithin(CLOSED_MS, supervisor))) return answer;
	return { is: "silent", why: "goes on, whoever has answered on its socket" };
}

function newestAlive(home: string, table: ProcessTable, io: Io): FoundRun {
	if (parseCookie(io.env) !== undefined) return findRunFor(io, home, undefined);
	const living = newestLiving(home, io.cwd);
	if (living !== undefined) return living;
	const abandoned = newestAbandoned(home, io.cwd, table);
	if (abandoned !== undefined) return { run: abandoned, directory: runDirectory(home, abandoned) };
	throw new AgentreeError("not_found", "no run of this directory is alive; all that are: agent ps");
}

function reportJson({ run, agent }: Target, end: StopEnd, io: Io): number {
	const survivors = end.is === "stopped" ? end.survivors : [];
	io.stdout(`${safeJson({ run, agent, is: end.is, survivors, text: end.what }, "\t")}\n`);
	return survivors.length > 0 ? 1 : 0;
}

function reportText(end: StopEnd, io: Io): number {
	if (end.is === "over") io.stderr(`${end.what}\n`);
	else if (end.survivors.length === 0) io.stdout(`stopped ${oneLine(end.what)}\n`);
	else io.stderr(`not stopped: ${end.what}; still alive, and could not be ended: ${end.survivors.join(", ")}\n`);
	return end.is === "stopped" && end.survivors.length > 0 ? 1 : 0;
}
