/** What a copy of a run has of its record: the files of each agent, as far as the copy's event log goes and without what they cost, and the states for an undo. */
import { closeSync, linkSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { type Agent, isOver } from "../../core/model/agent.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { isInTurn } from "../../core/run/turn-state.ts";
import { jsonLines } from "../../record/files/json-lines.ts";
import {
	appendLine,
	copyLines,
	copyRegular,
	makeDirectoriesBelow,
	openForAppend,
	replaceJson,
} from "../../record/files/private-files.ts";
import { entriesIn, namesIn } from "../../record/files/regular-file.ts";
import { asEntry } from "../../record/read-events.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { agentDirectory, agentFilePath, transcriptPath, undoDirectory } from "../../record/run-directory.ts";
import { toFile } from "../../record/spelling.ts";

export interface CopiedAgent {
	/** The run's id, and its directory. */
	readonly from: string;
	readonly directory: string;
	/** As the event log of the copy has it. */
	readonly agent: Agent;
	/** The most lines of its transcript. */
	readonly most: number;
}

export interface CopyPlace {
	readonly run: string;
	readonly directory: string;
	readonly now: number;
}

const LOG = /^(\d{1,9})[\w+-]{0,30}\.log$/;

export function copyAgent({ from, directory, agent, most }: CopiedAgent, copy: CopyPlace): void {
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
export function copyUndo(directory: string, copy: string): void {
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
