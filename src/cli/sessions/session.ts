/** A session: a run as somebody looks for it who wants to go on with it. */

import { AgentreeError } from "../../core/errors.ts";
import { type Agent, ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import { totalsOf } from "../../core/run/run-state.ts";
import type { KnownTotals } from "../../faces/print/listed-run.ts";
import { statsOf } from "../../record/files/file-facts.ts";
import { isRunning } from "../../record/load-run.ts";
import type { ReadRun } from "../../record/read-run.ts";
import { eventsPath } from "../../record/run-directory.ts";
import { RecordedRun } from "../../record/run-source.ts";

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
