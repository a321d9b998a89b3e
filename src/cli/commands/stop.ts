/** `agent stop`: ends a run or an agent, and names the processes that could not be ended. */
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import type { Io } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import { runDirectory } from "../../record/run-directory.ts";
import {
	isGoneWithin,
	type LivingSupervisor,
	supervisorAt,
	supervisorProcess,
	unreachable,
	wordsFor,
} from "../../record/supervisor-process.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { ABSENT_MS, askSupervisor, type NoAnswer, type Outcome } from "../../wire/run-client.ts";
import { nameOf } from "../io/ask-run.ts";
import { findRunFor, newestLiving, sandboxedRun, stateDirectoryFor } from "../io/find-run.ts";
import { isInside } from "../io/inside-run.ts";
import { type PrintingCommand, printJson } from "../io/process-io.ts";
import { endAbandoned, endUnanswered, type StopEnd, type Target } from "../stop/end-unanswered.ts";
import { newestAbandoned } from "../stop/leftovers.ts";
import { type StopAnswer, StopRequest, stopProgress } from "../stop/stop-request.ts";

const CLOSED_MS = 1_000;

/**
 * Without a ref: the newest live run of this directory; when none is live, one whose supervisor left something alive. `--now`: at once,
 * without SIGTERM and grace.
 */
export const stop: PrintingCommand = async ([ref], { json, now }, io) => {
	const home = stateDirectoryFor(io);
	const table = openProcessTable(io.env);
	const hidden = sandboxedRun(io, home, ref);
	const found = hidden ?? (ref === undefined ? newestAlive(home, table, io) : findRunFor(io, home, ref));
	const target = { ...found, agent: found.agent ?? ROOT, isKill: now === true, table };
	const end = hidden === undefined ? await stopRun(target, io) : await stopHidden(target, hidden.socket, io);
	return json ? reportJson(target, end, io) : reportText(end, io);
};

async function stopRun(target: Target, io: Io): Promise<StopEnd> {
	const file = readRunFile(target.directory);
	const supervisor = supervisorProcess(target, file);
	if (supervisor.is === "dead") return endAbandoned(target, file);
	const outcome = await askTwice(target, { file, supervisor }, io);
	switch (outcome.is) {
		case "answer":
			return endOf(outcome.answer, target);
		case "refused": {
			if (outcome.isLetIn || isInside()) throw new AgentreeError("refused", outcome.reason);
			const answer = noAnswer(`did not accept the request as yours (${outcome.reason})`);
			return endUnanswered(target, { supervisor, answer }, io);
		}
		case "no_answer":
			return endUnanswered(target, { supervisor, answer: outcome }, io);
	}
}

/** In a sandbox: only what the supervisor says is known, and nothing is ended without it. */
async function stopHidden(target: Target, socket: string, io: Io): Promise<StopEnd> {
	const who = wordsFor(target.run);
	const onSlow = () => io.stderr(`agent: waiting for ${who}\n`);
	const outcome = await askSupervisor(supervisorAt(socket), new StopRequest(target), { onSlow });
	switch (outcome.is) {
		case "answer":
			return endOf(outcome.answer, target);
		case "refused":
			throw new AgentreeError("refused", outcome.reason);
		case "no_answer":
			throw unreachable(`${who} gives no answer, and from inside a run nothing is ended without it`);
	}
}

function endOf(answer: StopAnswer, target: Target): StopEnd {
	const { run, agent } = target;
	switch (answer.is) {
		case "unknown":
			throw new AgentreeError("not_found", `run ${run} has no agent ${agent}; see agent ps`);
		case "over":
			return { is: "over", what: `${nameOf(target)} has already ended: ${answer.how}` };
		case "stopped":
			return { is: "stopped", what: nameOf(target, answer.agents), survivors: answer.survivors };
	}
}

/** A connection that ended says nothing of the run: a supervisor that lives is asked once more. */
async function askTwice(
	target: Target,
	{ file, supervisor: found }: { file: RunFile; supervisor: LivingSupervisor },
	io: Io,
): Promise<Outcome<StopAnswer>> {
	if (found.is === "suspended") return { is: "no_answer", because: "suspended", why: "is suspended" };
	const supervisor = supervisorAt(file.socket, () => supervisorProcess(target, file).is);
	const patience = {
		patienceMs: file.endedAt === undefined ? ABSENT_MS : 0,
		onSlow: () => io.stderr(`agent: waiting for ${wordsFor(target.run, found)}\n`),
	};
	const onStopping = stopProgress(nameOf(target), {
		isTerminal: io.isErrorTTY === true,
		say: (line) => io.stderr(`${line}\n`),
	});
	const ask = () => askSupervisor(supervisor, new StopRequest({ ...target, onStopping }), patience);
	const outcome = await ask();
	if (found.is === "elsewhere") return outcome;
	if (outcome.is === "no_answer" && outcome.because === "closed")
		return (await isGoneWithin(CLOSED_MS, found)) ? outcome : ask();
	const isRunStopped = outcome.is === "answer" && outcome.answer.is === "stopped" && target.agent === ROOT;
	if (!isRunStopped || readRunFile(target.directory).endedAt !== undefined) return outcome;
	if (await isGoneWithin(CLOSED_MS, found)) return outcome;
	return noAnswer("is still running, although it reported that the run was stopped");
}

function noAnswer(why: string): NoAnswer {
	return { is: "no_answer", because: "silent", why };
}

function newestAlive(home: string, table: ProcessTable, io: Io): FoundRun {
	if (parseCookie(io.env) !== undefined) return findRunFor(io, home, undefined);
	const living = newestLiving(home, io.cwd);
	if (living !== undefined) return living;
	const abandoned = newestAbandoned(home, io.cwd, table);
	if (abandoned !== undefined) return { run: abandoned, directory: runDirectory(home, abandoned) };
	throw new AgentreeError("not_found", "no live run in this directory; all live runs: agent ps");
}

function reportJson({ run, agent }: Target, end: StopEnd, io: Io): number {
	const survivors = end.is === "stopped" ? end.survivors : [];
	printJson(io, { run, agent, is: end.is, survivors, text: end.what });
	return survivors.length > 0 ? 1 : 0;
}

function reportText(end: StopEnd, io: Io): number {
	if (end.is === "over") io.stderr(`${end.what}\n`);
	else if (end.survivors.length === 0) io.stdout(`stopped ${oneLine(end.what)}\n`);
	else io.stderr(`not stopped: ${end.what}; could not stop these processes: ${end.survivors.join(", ")}\n`);
	return end.is === "stopped" && end.survivors.length > 0 ? 1 : 0;
}
