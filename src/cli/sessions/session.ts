/** Sessions: runs as a person looks for one to continue. How each stands, what it is called, and which have words in them. */

import { closeSync, readSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, ROOT } from "../../core/model/agent.ts";
import { messageIn } from "../../core/model/message-marks.ts";
import { alsoSaidIn, INTERRUPTION, isOfPlace } from "../../core/model/placeholder-texts.ts";
import { totalsOf } from "../../core/run/run-state.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import type { UserEntry } from "../../core/schemas/transcript.ts";
import { jsonLines } from "../../record/files/json-lines.ts";
import { directoryId, openRegular, statsOf } from "../../record/files/regular-file.ts";
import { isRunning } from "../../record/load-run.ts";
import { asEntry, parseEntry } from "../../record/read-events.ts";
import { newestRuns, type ReadRun } from "../../record/read-run.ts";
import { rebuiltRunFile } from "../../record/repair.ts";
import { eventsPath, transcriptPath } from "../../record/run-directory.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import type { KnownTotals } from "../../view/agents/listed-run.ts";

/**
 * `waiting`: alive, and a person is to say something. `answered`: also a conversation that waited for a person when it was ended.
 * `interrupted`: it ended before it had answered, and goes on when asked to.
 */
export type SessionState = "alive" | "waiting" | "answered" | "interrupted" | "limit" | "failed";

export interface Session extends ReadRun {
	readonly state: SessionState;
	/** When something happened in it last. */
	readonly usedAt: number;
	/** As run.json has them; of one that is alive only once it was looked at. */
	readonly totals: KnownTotals;
}

/** From run.json. Whether one that is alive waits for a person is not looked up: its log may be long. */
export function sessionOf(run: ReadRun): Session {
	const { directory, file } = run;
	const isAlive = isRunning(file);
	const usedAt = file.endedAt ?? lastEventAt(directory, file);
	return { ...run, state: isAlive ? "alive" : stateAtEnd(file), usedAt, totals: file };
}

/** As it stands now, by its event log; of one whose end is recorded nothing else is known than before. */
export function lookedAt(session: Session): Session {
	const { state: before, file } = session;
	if (before !== "alive" && (file.endedAt !== undefined || file.isConversation !== true)) return session;
	try {
		const { agents } = new RecordedRun(session.directory).snapshot().state;
		return { ...session, state: stateBy(agents[ROOT], before), totals: totalsOf(Object.values(agents)) };
	} catch (error) {
		if (error instanceof AgentreeError) return session; // it was removed meanwhile
		throw error;
	}
}

function stateBy(root: Agent | undefined, otherwise: SessionState): SessionState {
	if (otherwise === "alive") return root?.state.is === "listening" ? "waiting" : "alive";
	return root?.hadListened ? "answered" : otherwise;
}

function stateAtEnd({ ending, hadListened }: RunFile): SessionState {
	switch (ending?.by) {
		case undefined:
		case "crashed":
		case "killed":
		case "stopped":
			return hadListened ? "answered" : "interrupted";
		case "answer":
			return "answered";
		case "limit":
			return "limit";
		case "failure":
			return "failed";
	}
}

/** Each event is a write to the log. */
function lastEventAt(directory: string, { startedAt }: RunFile): number {
	const changed = statsOf(eventsPath(directory))?.mtimeMs;
	return changed === undefined ? startedAt : Math.max(startedAt, Math.floor(changed));
}

/** What a run is called in a line for people: its name, else its task; empty for one that has neither. */
export function runTitle({ name = "", task }: Pick<RunFile, "name" | "task">): string {
	return oneLine(name) || firstLine(task);
}

/** The last used first. `cwd`: only those of this directory, also of when it had another name; undefined: all. */
export function listSessions(home: string, cwd: string | undefined): Session[] {
	const isWanted = cwd === undefined ? () => true : isOfDirectory(cwd);
	const sessions: Session[] = [];
	const instead = (directory: string) => rebuiltRunFile(directory, ""); // the way to go on with one writes run.json anew
	for (const run of newestRuns(home, undefined, instead)) if (isWanted(run.file)) sessions.push(sessionOf(run));
	return sessions.sort((a, b) => b.usedAt - a.usedAt);
}

/** Whether a run works in this directory, even by the name that it had before. */
export function isOfDirectory(cwd: string): (file: RunFile) => boolean {
	const id = directoryId(cwd);
	return (file) => file.cwd === cwd || (id !== undefined && file.cwdId === id);
}

const MAX_BYTES = 64 * 1024; // of a transcript: a search reads that of each run

/** What a person said first in a run, a line feed between messages; empty where nothing can be read. */
export function firstMessages({ directory }: Pick<Session, "directory">): string {
	const lines = beginningOf(transcriptPath(directory, ROOT)).split("\n").slice(0, -1);
	return lines
		.flatMap((line) => {
			const entry = parseEntry(line);
			return entry?.role === "user" ? saidByPerson(entry) : [];
		})
		.join("\n");
}

function beginningOf(path: string): string {
	let file: number | undefined;
	try {
		file = openRegular(path);
		if (file === undefined) return "";
		const bytes = Buffer.allocUnsafe(MAX_BYTES);
		return bytes.toString("utf8", 0, readSync(file, bytes, 0, MAX_BYTES, 0));
	} catch (error) {
		if (error instanceof AgentreeError) return "";
		throw error;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** What words are looked for in, beside the run's id, its name and its task. */
export type MessagesOf = (session: Session) => string;

/** The sessions in which each word stands somewhere: in the id, the name, the task or what else the person has said. Upper case or lower is the same. */
export function filterSessions(sessions: readonly Session[], words: string, messagesOf: MessagesOf): Session[] {
	const wanted = folded(words)
		.split(" ")
		.filter((word) => word !== "");
	if (wanted.length === 0) return [...sessions];
	return sessions.filter((session) => {
		const { name = "", task } = session.file;
		const known = folded(`${session.run} ${name} ${task}`);
		const left = wanted.filter((word) => !known.includes(word));
		if (left.length === 0) return true;
		const said = folded(messagesOf(session));
		return left.every((word) => said.includes(word));
	});
}

function folded(text: string): string {
	return oneLine(text).normalize("NFKC").toLowerCase();
}

export interface PersonMessage {
	readonly text: string;
	readonly at: number;
	/** Of the root's transcript, counted from 1. */
	readonly line: number;
	/** The number of the root's newest answer before it; 0 when there is none. */
	readonly turn: number;
	/** The message follows an answer that asked for nothing more. */
	readonly isNext: boolean;
}

/** From the root's transcript, in order; the first is the task. */
export function* personMessages(directory: string): Generator<PersonMessage> {
	let turn = 0;
	let isNext = false;
	for (const { line, ...read } of jsonLines(transcriptPath(directory, ROOT))) {
		const entry = read.is === "value" ? asEntry(read.value) : undefined;
		if (entry?.role === "assistant") {
			turn = entry.turn;
			isNext = !entry.content.some(({ type }) => type === "tool_use");
		}
		if (entry?.role !== "user") continue;
		const text = saidByPerson(entry).join("\n\n");
		if (text !== "") yield { text, at: entry.at, line, turn, isNext };
		isNext = false;
	}
}

/** What the person says in it: not the results of commands, and not what agentree says by itself or another agent. */
function saidByPerson({ content, from }: UserEntry): string[] {
	if (from !== undefined && from !== "person") return [];
	return content.flatMap((block) => {
		if (block.type !== "text") return [];
		const said = messageIn(block.text)?.body ?? block.text;
		if (isOfPlace(said)) return [];
		return said.startsWith(INTERRUPTION) ? [alsoSaidIn(said) ?? []].flat() : [said];
	});
}
