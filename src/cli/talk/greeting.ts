/** What a conversation begins with: two or three lines. */
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import type { ChatFacts } from "../../faces/chat/chat-state.ts";
import type { Told } from "../../faces/chat/effect.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { VERSION } from "../../project/version.ts";
import { formatAge } from "../../text/durations.ts";
import { SKIPPED_PERMISSIONS } from "../../view/words/sandbox.ts";
import { newestSession } from "../sessions/find-session.ts";
import { lookedAt, runTitle } from "../sessions/session.ts";
import type { TalkRun } from "./talk-run.ts";

const MOST_FILES = 4;
const MOST_TASK_CHARS = 50;

export interface GreetingOf {
	/** The files that tell the agent how to work here. */
	readonly instructions: readonly string[];
	/** Of a conversation that goes on. */
	readonly run: TalkRun | undefined;
	/** What a person has to know of the sandbox. */
	readonly ofSandbox: readonly string[];
	/** What there is to go on with. */
	readonly unfinished: string | undefined;
}

export function greeting({ model, shownDirectory, skipsPermissions }: ChatFacts, about: GreetingOf): Told[] {
	const { instructions, run, unfinished, ofSandbox } = about;
	const what = run === undefined ? model : `resuming run ${shortRunId(run.run)}`;
	const dim = (text: string): Told => ({ text, tone: "dim" });
	return [
		...(skipsPermissions ? [{ text: SKIPPED_PERMISSIONS[0], tone: "bad" } as const] : []),
		{ text: `agentree ${VERSION}: ${what} in ${shownDirectory}`, tone: "plain" },
		...(instructions.length === 0 ? [] : [dim(`with ${listed(instructions)}`)]),
		...ofSandbox.map((text) => ({ text, tone: "warn" }) as const),
		...(unfinished === undefined ? [] : [dim(unfinished)]),
		dim("Esc to interrupt · Ctrl-D to quit · /help for more"),
	];
}

/** The newest conversation of the directory, if it has not come to its end. */
export function unfinishedIn(home: string, directory: string): string | undefined {
	const newest = newestSession(home, directory);
	if (newest === undefined) return undefined;
	const { file, state, usedAt } = lookedAt(newest);
	if (state === "answered") return undefined;
	const what = preview(runTitle(file), MOST_TASK_CHARS);
	const age = formatAge(SYSTEM_CLOCK.now() - usedAt);
	return `unfinished here: ${what} (${state}, ${age} ago); to resume: /resume, or agent -c`;
}

function listed(files: readonly string[]): string {
	const more = files.length - MOST_FILES;
	return `${files.slice(0, MOST_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
