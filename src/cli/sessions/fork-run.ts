/**
 * A copy of a run under an id of its own, to go on with; the first stays as it is, and may be alive. The copy has its whole record
 * up to now, or up to a message of the person, and has spent nothing: what was used before is the first's. It is made beside
 * the runs, and gets its name when it is whole.
 */

import { closeSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { AgentreeError, exitCodeOf } from "../../core/errors.ts";
import { type Agent, type Ending, isOver, NO_PROCESS, ROOT } from "../../core/model/agent.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { newRunId } from "../../core/run/run-id.ts";
import { agentsInOrder, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import { isInTurn } from "../../core/run/turn-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { socketPath } from "../../project/config/user-directories.ts";
import { jsonLines } from "../../record/files/json-lines.ts";
import {
	appendLine,
	copyLines,
	copyRegular,
	makeDirectoriesBelow,
	makeNewPrivateDirectory,
	onDisk,
	openForAppend,
	replaceJson,
	replaceSafely,
} from "../../record/files/private-files.ts";
import { entriesIn, namesIn } from "../../record/files/regular-file.ts";
import { replayRun } from "../../record/load-run.ts";
import { asEntry, asEvent } from "../../record/read-events.ts";
import { readableAgentFile, readRunFile } from "../../record/read-run.ts";
import { requireValid } from "../../record/repair.ts";
import {
	agentDirectory,
	agentFilePath,
	eventsPath,
	runDirectory,
	runFilePath,
	runsDirectory,
	transcriptPath,
	undoDirectory,
} from "../../record/run-directory.ts";
import { originOf, whyForeign } from "../../record/run-origin.ts";
import { toFile } from "../../record/spelling.ts";
import { endedRunFileOf } from "../../supervisor/run/run-files.ts";
import { requireKnownVersion, requireOriginal, requireOwn } from "./resumable.ts";
import { type PersonMessage, personMessages } from "./session.ts";

export interface ForkHost {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly now: number;
	readonly random: () => number;
}

export interface Forked {
	readonly run: string;
	readonly directory: string;
	readonly file: RunFile;
}

interface ForkHow {
	readonly before?: number | undefined;
}

const ALL: ConversationCut = {
	...{ transcriptLines: Number.POSITIVE_INFINITY, eventLines: Number.POSITIVE_INFINITY, isAnswered: false },
};

/**
 * `before`: the copy ends before this message of the person, the task being the first. Throws AgentreeError when the run cannot be
 * gone on with, or the disk does not take the copy; then there is none.
 */
export function forkRun(run: { run: string; directory: string }, how: ForkHow, host: ForkHost): Forked {
	try {
		return fork(run, how, host);
	} catch (error) {
		const isOfSystem = (error as NodeJS.ErrnoException).code === "ENOENT" && !(error instanceof AgentreeError);
		if (!isOfSystem || existsSync(run.directory)) throw error;
		throw new AgentreeError("not_found", `run ${run.run} was removed meanwhile`);
	}
}

function fork(
	{ run: from, directory }: { run: string; directory: string },
	{ before }: ForkHow,
	host: ForkHost,
): Forked {
	requireOwn(directory, from, host.uid);
	requireValid(directory);
	const file = readRunFile(directory);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	const cut = before === undefined ? ALL : conversationCut(directory, before);
	const run = newRunId(new Date(host.now), host.random);
	const making = join(runsDirectory(host.home), `.forking-${run}`);
	makeNewPrivateDirectory(making);
	try {
		const copied = copyRun({ from, directory, file, cut }, { run, directory: making }, host);
		replaceSafely(runFilePath(making), toFile(copied));
		readRunFile(directory); // it may have been removed meanwhile, and the copy be of a half
		const made = runDirectory(host.home, run);
		onDisk(made, () => mkdirSync(made, { mode: 0o700 })); // nobody else has it; an empty directory is replaced
		onDisk(made, () => renameSync(making, made));
		return { run, directory: made, file: copied };
	} catch (error) {
		rmSync(making, { recursive: true, force: true });
		throw error;
	}
}

interface Source {
	readonly from: string;
	readonly directory: string;
	readonly file: RunFile;
	readonly cut: ConversationCut;
}

/** The event log first: what the supervisor writes meanwhile is then in the transcripts alone, where it can be told from the rest. */
function copyRun(source: Source, copy: { run: string; directory: string }, host: ForkHost): RunFile {
	const { from, directory, file, cut } = source;
	const { now } = host;
	copyLines(eventsPath(directory), eventsPath(copy.directory), cut.eventLines);
	const recorded = replayRun(copy.directory, file).state;
	for (const agent of agentsInOrder(recorded)) {
		const most = agent.id === ROOT ? cut.transcriptLines : Number.POSITIVE_INFINITY;
		copyAgent({ from, directory, agent, most }, { ...copy, now });
	}
	copyUndo(directory, copy.directory);
	const ends = endsOfCopy(recorded, { isAnswered: cut.isAnswered, isCut: cut !== ALL, now });
	const { ending, exitCode } = ends.run;
	const events: RunEvent[] = [
		...ends.agents,
		{ event: "run_forked", at: now, run: copy.run, from },
		{ event: "run_ended", at: now, ending, exitCode, survivors: [] },
	];
	appendEvents(eventsPath(copy.directory), events);
	const state = events.reduce(reduceInPlace, recorded);
	return copiedFile(source, { state, directory: copy.directory }, host);
}

function appendEvents(path: string, events: readonly RunEvent[]): void {
	const log = openForAppend(path);
	try {
		for (const event of events) appendLine(log, path, toFile(event));
	} finally {
		closeSync(log);
	}
}

/** Where the first was not made here, the copy was not either: a person is asked before either goes on. */
function copiedFile(
	{ from, directory, file }: Source,
	copy: { state: RunState; directory: string },
	{ home, env, uid, now }: ForkHost,
): RunFile {
	const { run } = copy.state;
	const isForeign = whyForeign(directory, file) !== undefined;
	const origin = isForeign ? file.origin : { ...originOf(copy.directory), directory: runDirectory(home, run) };
	return {
		...endedRunFileOf(file, copy.state),
		...{ run, forkedFrom: from, supervisor: NO_PROCESS, socket: socketPath(env, uid, run), startedAt: now },
		...defined({ origin }),
	};
}

/** How the agents of a copied run have ended: nothing of a copy is alive. Pure. */
interface EndsOfCopy {
	/** One for each agent that had not ended. */
	readonly agents: readonly Extract<RunEvent, { event: "agent_ended" }>[];
	readonly run: { readonly ending: Ending; readonly exitCode: number };
}

const COPIED: Ending = { by: "stopped", reason: "its run was copied while it was working", signal: 15 };
const ANSWERED: Ending = { by: "answer" };

/** `isCut`: the copy ends before a message of the person; `isAnswered`: and behind an answer. */
function endsOfCopy(
	state: RunState,
	{ isCut, isAnswered, now }: { isCut: boolean; isAnswered: boolean; now: number },
): EndsOfCopy {
	const endingOf = (agent: Agent) => {
		if (agent.id !== ROOT) return COPIED;
		return (isCut ? isAnswered : agent.state.is === "listening") ? ANSWERED : COPIED;
	};
	const living = agentsInOrder(state).filter((agent) => !isOver(agent));
	const agents = living.map((agent) => {
		return { event: "agent_ended", at: now, agent: agent.id, ending: endingOf(agent) } as const;
	});
	const root = state.agents[ROOT];
	const ending = root === undefined || !isOver(root) ? (agents[0]?.ending ?? COPIED) : root.state.ending;
	return { agents, run: { ending, exitCode: exitCodeOf(ending) } };
}

/** Where a copy of a conversation ends that is to end before a message of the person. */
interface ConversationCut {
	/** How many lines of the root's transcript stay. */
	readonly transcriptLines: number;
	/** How many lines of the event log stay. */
	readonly eventLines: number;
	/** What stays ends with an answer. */
	readonly isAnswered: boolean;
}

/** `before`: the number of the message, the task being the first. Throws AgentreeError("usage") when there is no such message, or nothing before it. */
function conversationCut(directory: string, before: number): ConversationCut {
	const messages = [...personMessages(directory)];
	const message = messages[before - 1];
	if (message === undefined || before < 2) throw noSuchMessage(before, messages.length);
	const { line, isNext } = message;
	return { transcriptLines: line - 1, eventLines: eventsBefore(directory, message), isAnswered: isNext };
}

function noSuchMessage(before: number, count: number): AgentreeError {
	const why = before < 2 ? "nothing comes before the first message" : `there are ${count} messages`;
	return new AgentreeError("usage", `the conversation cannot be cut before message ${before}: ${why}`);
}

/** The lines of the event log up to where the message got to the root: behind the root's answer before it, and what followed from that. */
function eventsBefore(directory: string, { turn, at }: PersonMessage): number {
	let isBehind = turn === 0;
	let last = 0;
	for (const { line, ...read } of jsonLines(eventsPath(directory))) {
		const event = read.is === "value" ? asEvent(read.value) : undefined;
		if (event !== undefined && ((isBehind && beginsNext(event)) || event.at > at)) return line - 1;
		if (event?.event === "turn_ended" && event.agent === ROOT && isAnswer(event, turn)) isBehind = true;
		last = line;
	}
	return last;
}

function isAnswer({ turn, purpose }: Extract<RunEvent, { event: "turn_ended" }>, answer: number): boolean {
	return purpose === undefined && turn === answer;
}

const OF_NEXT_TURN = ["turn_queued", "turn_started", "message_delivered", "agent_ended", "agent_resumed"];
const OF_NEXT_LIFE = ["run_resumed", "run_forked", "run_stopping", "run_ended"];

/** Whether the event is of the turn that the message led to, or of what came between: an end, and a resumption. */
function beginsNext(event: RunEvent): boolean {
	if (OF_NEXT_LIFE.includes(event.event)) return true;
	return "agent" in event && event.agent === ROOT && OF_NEXT_TURN.includes(event.event);
}

/** What a copy of a run has of its record: the files of each agent, as far as the copy's event log goes and without what they cost, and the states for an undo. */

interface CopiedAgent {
	/** The run's id, and its directory. */
	readonly from: string;
	readonly directory: string;
	/** As the event log of the copy has it. */
	readonly agent: Agent;
	/** The most lines of its transcript. */
	readonly most: number;
}

interface CopyPlace {
	readonly run: string;
	readonly directory: string;
	readonly now: number;
}

const LOG = /^(\d{1,9})[\w+-]{0,30}\.log$/;

function copyAgent({ from, directory, agent, most }: CopiedAgent, copy: CopyPlace): void {
	const { id } = agent;
	const logs = join(agentDirectory(copy.directory, id), "out");
	makeDirectoriesBelow(copy.directory, logs);
	const [source, target] = [transcriptPath(directory, id), transcriptPath(copy.directory, id)];
	copyLines(source, target, Math.min(most, linesUpTo(source, agent)));
	appendNote(target, { role: "note", note: "forked", at: copy.now, from: `${from}/${id}` });
	const file = readableAgentFile(directory, id);
	const spent = file?.usage === undefined ? {} : { usage: NO_USAGE, costUsd: 0 };
	const own = file === undefined ? undefined : { ...file, run: copy.run, ...spent };
	if (own !== undefined) replaceJson(agentFilePath(copy.directory, id), toFile(defined(own)));
	copyLogs(join(agentDirectory(directory, id), "out"), logs, agent.commands);
}

function appendNote(path: string, note: object): void {
	const file = openForAppend(path);
	try {
		appendLine(file, path, toFile(note));
	} finally {
		closeSync(file);
	}
}

/** How many lines stand before the first answer that the event log does not have. */
function linesUpTo(path: string, agent: Agent): number {
	const isLimit = isOver(agent) && agent.state.ending.by === "limit"; // its report is not counted as a turn
	const isOpen = isInTurn(agent) || agent.isUnanswered === true;
	const answered = agent.turns + (isLimit ? 1 : 0) - (isOpen ? 1 : 0);
	for (const { line, ...read } of jsonLines(path)) {
		const entry = read.is === "value" ? asEntry(read.value) : undefined;
		if (entry?.role === "assistant" && entry.turn > answered) return line - 1;
	}
	return Number.POSITIVE_INFINITY;
}

/** Those of the agent's commands so far. */
function copyLogs(from: string, to: string, commands: number): void {
	for (const name of namesIn(from)) {
		const number = Number(LOG.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
		if (number <= commands) copyRegular(join(from, name), join(to, name));
	}
}

const OBJECTS = "git/objects";
const MAX_LEVELS = 8;

/**
 * Copies the kept states of the files that a conversation works on. The states first: each is written behind the objects that it names. An object is never changed, so that both may have the same
 * file. What only makes the next state quicker is left out.
 */
function copyUndo(directory: string, copy: string): void {
	const [from, to] = [undoDirectory(directory), undoDirectory(copy)];
	for (const below of ["states", OBJECTS, "git"]) copyBelow({ from, to, root: copy, below }, MAX_LEVELS);
}

interface Below {
	readonly from: string;
	readonly to: string;
	/** The directory of the copied run. */
	readonly root: string;
	readonly below: string;
}

/** Links, and what is no regular file, are left out. */
function copyBelow({ from, to, root, below }: Below, levels: number): void {
	for (const entry of entriesIn(join(from, below))) {
		const path = `${below}/${entry.name}`;
		makeDirectoriesBelow(root, join(to, below));
		if (entry.isDirectory() && levels > 0 && path !== OBJECTS) copyBelow({ from, to, root, below: path }, levels - 1);
		if (entry.isFile()) copyOne(join(from, path), join(to, path), path.startsWith(`${OBJECTS}/`));
	}
}

function copyOne(from: string, to: string, isObject: boolean): void {
	try {
		if (isObject) return linkSync(from, to);
	} catch {} // another disk, or one without such links
	copyRegular(from, to);
}
