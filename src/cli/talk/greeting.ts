/** What a conversation begins with: two or three lines. */
import type { ChatFacts } from "../../chat/chat-state.ts";
import type { Told } from "../../chat/effect.ts";
import { VERSION } from "../../config/version.ts";
import { shortRunId } from "../../core/run-id.ts";
import type { TalkRun } from "./talk-run.ts";

const MOST_FILES = 4;

export interface GreetingOf {
	/** The files that tell the agent how to work here. */
	readonly instructions: readonly string[];
	/** Of a conversation that goes on. */
	readonly run: TalkRun | undefined;
}

export function greeting({ model, shownDirectory }: ChatFacts, { instructions, run }: GreetingOf): Told[] {
	const what = run === undefined ? model : `run ${shortRunId(run.run)} goes on`;
	return [
		{ text: `agentree ${VERSION}: ${what} in ${shownDirectory}`, tone: "plain" },
		...(instructions.length === 0 ? [] : [{ text: `with ${listed(instructions)}`, tone: "dim" } as const]),
		{ text: "Esc ends what the agent does, Ctrl-D leaves, /help tells the rest", tone: "dim" },
	];
}

function listed(files: readonly string[]): string {
	const more = files.length - MOST_FILES;
	return `${files.slice(0, MOST_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
