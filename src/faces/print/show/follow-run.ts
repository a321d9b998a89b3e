/** Follows a run from outside until it, or one agent of it, has ended in whichever way. */
import type { AgentId } from "../../../core/model/agent.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { followLines } from "../../../record/files/follow-lines.ts";
import { supervisorOf } from "../../../record/load-run.ts";
import { parseEvent } from "../../../record/read-events.ts";
import { readRunFile } from "../../../record/read-run.ts";
import { eventsPath } from "../../../record/run-directory.ts";
import { isProcessAlive } from "../io.ts";

const ALIVE_CHECK_MS = 1_000;

export interface FollowRun {
	/** Follow until this agent has ended; until the run has when undefined. */
	readonly agent?: AgentId | undefined;
	/** `line`: the event as it is written in the file. */
	readonly onEvent: (event: RunEvent, line: string) => void;
	readonly damaged: (what: string) => void;
	readonly signal?: AbortSignal | undefined;
}

/** `crashed`: the supervisor died without a word. Everything that was written has been given before it resolves. */
export async function followRun(directory: string, follow: FollowRun): Promise<"ended" | "crashed" | "aborted"> {
	const over = new AbortController();
	let how: "ended" | "crashed" | "aborted" = "aborted";
	let isOver = false;
	const stop = (by: typeof how) => {
		if (!over.signal.aborted) how = by;
		over.abort();
	};
	const supervisor = supervisorOf(readRunFile(directory));
	const check = () => {
		if (!isProcessAlive(supervisor)) stop(isOver ? "ended" : "crashed");
	};
	const aborted = () => stop("aborted");
	follow.signal?.addEventListener("abort", aborted);
	const timer = setInterval(check, ALIVE_CHECK_MS);
	const onLines = (lines: string[]) => {
		for (const line of lines) isOver = give(line, follow) ?? isOver;
		// Later, when all that is in the file has been read: a run that was over may have gone on.
		if (isOver) queueMicrotask(() => isOver && stop("ended"));
	};
	try {
		const following = followLines(eventsPath(directory), onLines, { signal: over.signal });
		check();
		await following;
		return how;
	} finally {
		clearInterval(timer);
		follow.signal?.removeEventListener("abort", aborted);
	}
}

/** Whether the followed run or agent is over after this line; undefined when the line says nothing about that. */
function give(line: string, { agent, onEvent, damaged }: FollowRun): boolean | undefined {
	const event = parseEvent(line);
	if (event === undefined) {
		if (line !== "") damaged("events.jsonl: a line that is not an event, skipped");
		return undefined;
	}
	onEvent(event, line);
	if (event.event === "run_ended") return true;
	if (event.event === "run_resumed" && agent === undefined) return false;
	if (event.event !== "agent_ended" && event.event !== "agent_resumed") return undefined;
	return event.agent === agent ? event.event === "agent_ended" : undefined;
}
