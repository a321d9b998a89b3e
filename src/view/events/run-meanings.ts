/** Events of the whole run, and of the files that agents work on. */
import type { Ending } from "../../core/model/agent.ts";
import type { FilesEvent } from "../../core/run/file-events.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { formatWait } from "../../text/durations.ts";
import { describeLeft } from "../words/worktrees.ts";
import { after, news, toneOfEnding } from "./agent-meanings.ts";
import type { Meaning, Meanings } from "./meaning.ts";

type RunEvents = Extract<RunEvent["event"], `run_${string}` | `shortage_${string}` | "calls_slowed" | "client_refused">;

export const RUN_MEANINGS: Meanings<RunEvents> = {
	run_started: (event) => ({
		text: `started by supervisor ${event.pid}, model ${event.model}${skipping(event)}: ${event.task}`,
		...{ news: "step", brief: `${event.run}, model ${event.model}` },
	}),
	run_resumed: (event) => news(`resumed by supervisor ${event.pid}${skipping(event)}`),
	run_forked: ({ from, run }) => news(`run ${run} was copied from run ${from}; earlier usage is counted there`),
	run_named: ({ name }) => news(name === "" ? "is now unnamed" : `is named ${name}`),
	run_stopping: ({ reason }) => ({ ...news(`is stopping: ${reason}`), tone: "warn" }),
	run_ended: ({ ending, exitCode, survivors, leftRunning = [] }, facts) => ({
		text: `ended${after(facts)}: ${describeEnding(ending)}, exit code ${exitCode}${survived(survivors)}${stayed(leftRunning)}`,
		...{ tone: toneOfRunEnding(ending), news: "run", brief: `ended${after(facts)}: ${describeEnding(ending)}` },
	}),
	calls_slowed: ({ waitMs, reason, maxCalls }) => ({
		...news(`no calls to the model for ${formatWait(waitMs)}: ${reason}; then ${maxCalls} at once`),
		tone: "warn",
	}),
	shortage_began: ({ what, reason }) => ({ ...news(`short of ${what}: ${reason}`), tone: "warn" }),
	shortage_ended: ({ what }) => ({ ...news(`no longer short of ${what}`), tone: "good" }),
	client_refused: ({ reason, others }) => ({
		...news(`closed a connection: ${reason}${others === undefined ? "" : `, after ${others} others`}`),
		tone: "warn",
	}),
};

function skipping({ skipsPermissions, noSandbox }: { skipsPermissions?: true; noSandbox?: string }): string {
	if (skipsPermissions) return ", without a sandbox or questions";
	return noSandbox === undefined ? "" : `, without a sandbox: ${noSandbox}`;
}

function toneOfRunEnding(ending: Ending) {
	return ending.by === "answer" ? "good" : toneOfEnding(ending);
}

function survived(pids: readonly number[]): string {
	return pids.length === 0 ? "" : `, still alive: ${pids.join(", ")}`;
}

function stayed(left: readonly { pid: number; name: string }[]): string {
	return left.length === 0 ? "" : `, left running: ${left.map(({ pid, name }) => `${pid} (${name})`).join(", ")}`;
}

/** What happens to the files that agents work on: states that are kept, git worktrees, places that a sandbox guards. */

export const FILES_MEANINGS: Meanings<FilesEvent["event"]> = {
	tree_kept: ({ top, id, notice }) => ({
		text: `saved the files of ${top} as state ${id}${notice === undefined ? "" : `, without ${notice}`}`,
		...(notice !== undefined && { news: "conversation", brief: `not restored by undo: ${notice}` }),
	}),
	tree_not_kept: ({ reason }) => ({
		text: `could not save its files, so undo will not work: ${reason}`,
		...{ tone: "warn", news: "run", isInTranscript: true },
		brief: `undo is not available from here on: ${reason}`,
	}),
	worktree_begun: ({ path, branch }) => ({
		text: `works in a git worktree: ${path}, on branch ${branch}`,
		isInTranscript: true,
	}),
	worktree_kept: (event) => ({
		text: `left a git worktree behind, with ${describeLeft(event)}`,
		...{ news: "person", isInTranscript: true },
	}),
	worktree_removed: () => ({
		text: "removed its git worktree, which had no changes",
		isInTranscript: true,
	}),
	place_replaced: placeReplaced,
};

type PlaceEvent = Extract<FilesEvent, { event: "place_replaced" }>;

const TONES: Readonly<Record<PlaceEvent["outcome"], "bad" | "warn" | undefined>> = {
	...{ covered: undefined, open: "warn", put_back: "bad", changed: "bad" },
};

function placeReplaced(event: PlaceEvent): Meaning {
	const tone = TONES[event.outcome];
	return { text: describePlace(event), tone, news: tone && "person", isInTranscript: true };
}

function describePlace({ path, outcome, isHidden, kept, hasEnded }: PlaceEvent): string {
	const ended = hasEnded ? "; the commands running then were stopped" : "";
	const replaced = "was replaced from outside the sandbox";
	switch (outcome) {
		case "covered":
			return `${path} ${replaced}: running commands could read it until it was hidden again`;
		case "open":
			return `${path} ${replaced}: running commands can ${isHidden ? "read" : "write to"} it until they end`;
		case "put_back":
			return `RESTORED: ${path} ${replaced} and then changed while commands could write to it; the original is back, and the changed version is ${kept}${ended}`;
		case "changed":
			return `CHECK ${path} before you use it: it ${replaced}, and commands could write to it${ended}`;
	}
}
