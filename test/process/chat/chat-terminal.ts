/** The whole program in a conversation, in a real terminal with a real shell, in front of a service on 127.0.0.1. */
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import type { FakeApi } from "../../fixtures/fake-api.ts";
import { openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { KEY } from "../api/api-run.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

export interface ChatInTerminalOptions {
	readonly args?: string;
	readonly home?: string;
	readonly env?: string;
	/** Of the terminal, for several of a home. */
	readonly name?: string;
	/** The file that gets all that is written to the terminal. */
	readonly record?: string;
}

/** A line of a shell that starts a conversation in the home. */
export function chatLine(api: FakeApi, home: string, args: string, env = ""): string {
	const places = `AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run`;
	const set = `cd ${home}; set +H; export ${places} ANTHROPIC_API_KEY=${KEY} ANTHROPIC_BASE_URL=${api.url} ${env}; clear`;
	return `${set}; ${process.execPath} -- ${AGENT_PROGRAM} ${args}`; // Node 20 takes an --env-file behind its file, too
}

/** `agent` in a shell of a terminal, as soon as its prompt is there. */
export async function chatInTerminal(
	api: FakeApi,
	{ args = "", home = temporaryHome(), env = "", name, record }: ChatInTerminalOptions = {},
) {
	const terminal = openTerminal(home, name);
	if (record !== undefined) terminal.record(record);
	terminal.type(chatLine(api, home, args, env));
	await terminal.shows(/\/help for more/);
	const state = join(home, "agentree");
	const runs = () => listRuns(state).map((run) => runDirectory(state, run));
	const events = (): RunEvent[] => runs().flatMap((run) => readEvents(run).values);
	const happens = (isIt: (event: RunEvent) => boolean, times = 1) =>
		vi.waitFor(() => {
			const found = events().filter(isIt);
			if (found.length < times) throw new Error(`waited in vain; last: ${JSON.stringify(events().slice(-3))}`);
			return found;
		}, WAIT);
	return {
		terminal,
		home,
		/** Of the face. */
		pid: terminal.pid(),
		runs,
		events,
		runFile: () => readRunFile(runs().at(-1) ?? ""),
		/** Until such an event is in the log, so many times. */
		happens,
		/** Until the agent waits for the person, so many times, and the chat has heard of it, which comes after the log. */
		waitsForPerson: async (times = 1) => {
			await happens(listens, times);
			await vi.waitFor(() => expect(terminal.title()).toBe("agentree: waiting for you"), WAIT);
		},
		/** Types a message, and sends it. */
		say: (text: string) => terminal.type(text),
	};
}

export type ChatInTerminal = Awaited<ReturnType<typeof chatInTerminal>>;

export const listens = ({ event }: RunEvent) => event === "agent_listening";
