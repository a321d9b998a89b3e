/** A session: a run as somebody looks for it who wants to go on with it. */
import { statSync } from "node:fs";
import type { RunFile } from "../../core/transcript.ts";
import { supervisorOf } from "../../store/load-run.ts";
import type { ReadRun } from "../../store/read-run.ts";
import { eventsPath } from "../../store/run-directory.ts";
import { isProcessAlive } from "../io/io.ts";

/** `waiting`: alive, and a person is to say something. `interrupted`: it ended before it had answered, and goes on when asked to. */
export type SessionState = "alive" | "waiting" | "answered" | "interrupted" | "limit" | "failed";

export interface Session extends ReadRun {
	readonly state: SessionState;
	/** When something happened in it last. */
	readonly usedAt: number;
}

/** Whether it waits for a person is not looked up: `alive` stands for that, too. */
export function sessionOf(run: ReadRun): Session {
	const { directory, file } = run;
	const isAlive = file.endedAt === undefined && isProcessAlive(supervisorOf(file));
	return { ...run, state: isAlive ? "alive" : stateAtEnd(file), usedAt: file.endedAt ?? lastEventAt(directory, file) };
}

function stateAtEnd({ ending }: RunFile): SessionState {
	switch (ending?.by) {
		case undefined:
		case "crashed":
		case "killed":
		case "stopped":
			return "interrupted";
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
	const changed = statSync(eventsPath(directory), { throwIfNoEntry: false })?.mtimeMs;
	return changed === undefined ? startedAt : Math.max(startedAt, Math.floor(changed));
}
