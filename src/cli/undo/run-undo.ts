/** What an undo of a run would do, and the doing of it: for the command, and for whoever holds a conversation. */
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { KeptState } from "../../core/schemas/kept-tree.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { type Changes, type PutBack, SavedTree } from "../../project/undo/saved-tree.ts";
import { statesIn, storeIn, undoable } from "../../project/undo/tree-store.ts";
import { replayRun } from "../../record/load-run.ts";
import { undoDirectory } from "../../record/run-directory.ts";
import { isOfDirectory } from "../sessions/session.ts";

export interface UndoHost {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The state directory. */
	readonly home: string;
	readonly now: () => number;
	/** The directory in which the person is: that of the run may have been renamed to it. */
	readonly here?: string | undefined;
	/** Gives up. */
	readonly signal?: AbortSignal | undefined;
	/** Of finding what has changed. */
	readonly mostLookMs?: number;
}

export type RunUndo =
	/**
	 * Nothing can be undone, and why. `isUnchanged`: since there is nothing to undo. `hasFailed`: since it cannot be found out
	 * what there is.
	 */
	| { readonly is: "nothing"; readonly reason: string; readonly isUnchanged: boolean; readonly hasFailed: boolean }
	| {
			readonly is: "undo";
			readonly state: KeptState;
			readonly changes: Changes;
			/** The tree's directory. */
			readonly top: string;
			/** Rejects with AgentreeError("not_writable") when the files cannot be kept as they are now. */
			readonly putBack: () => Promise<Done>;
	  };

type Done = Extract<PutBack, { is: "done" }>;

const NO_STATE = "no saved states: files are saved only in chats";
const MAX_COMPARED = 50;
/** A FIFO that is called .gitignore keeps git waiting forever. */
const MOST_LOOK_MS = 60_000;
const MOST_PUT_MS = 600_000;

/** `to`: the number of a kept state; undefined: before the newest message since which anything has changed. */
export async function runUndo(directory: string, to: number | undefined, host: UndoHost): Promise<RunUndo> {
	const { env, home, now } = host;
	const within = (ms: number) => AbortSignal.any([AbortSignal.timeout(ms), ...(host.signal ? [host.signal] : [])]);
	const signal = within(host.mostLookMs ?? MOST_LOOK_MS);
	const states = keptStates(directory);
	if (states.length === 0) return nothing(NO_STATE, false);
	const { file, state } = replayRun(directory);
	const { cwd } = state.worktrees?.[ROOT] ?? { cwd: directoryNow({ ...file, cwd: state.cwd }, host.here) };
	const opened = await SavedTree.open({ cwd, directory: undoDirectory(directory), own: [home], env, signal, now });
	if (opened.is === "none") return nothing(opened.reason);
	const { worktree } = opened;
	const asked = to === undefined ? undoable(states) : states.filter(({ id }) => id === to);
	if (to !== undefined && asked.length === 0) return nothing(`no saved state ${to}`);
	for (const state of asked.slice(0, MAX_COMPARED)) {
		const changes = await worktree.changesSince(state, signal);
		if (changes.is === "not_kept") return nothing(changes.reason);
		if (changes.changes.length > 0) return undoOf(state, changes, { worktree, within });
	}
	const reason = to === undefined ? sinceAll(asked.length) : `nothing differs from state ${to}`;
	return { is: "nothing", reason, isUnchanged: true, hasFailed: false };
}

function sinceAll(messages: number): string {
	const since = messages > MAX_COMPARED ? `the newest ${MAX_COMPARED} messages` : "the first message";
	return `nothing has changed in the files since ${since}`;
}

/** The run's working directory; it may have been renamed to the one in which the person is. */
function directoryNow(file: RunFile, here: string | undefined): string {
	return here !== undefined && isOfDirectory(here)(file) ? here : file.cwd;
}

function undoOf(
	state: KeptState,
	changes: Changes,
	{ worktree, within }: { worktree: SavedTree; within: (ms: number) => AbortSignal },
): RunUndo {
	const putBack = async () => {
		const put = await worktree.putBack(state, within(MOST_PUT_MS));
		if (put.is === "done") return put;
		const why = "nothing restored, because the current files cannot be saved";
		throw new AgentreeError("not_writable", `${why}: ${put.reason}`);
	};
	return { is: "undo", state, changes, top: worktree.top, putBack };
}

function nothing(reason: string, hasFailed = true): RunUndo {
	return { is: "nothing", reason, isUnchanged: false, hasFailed };
}

/** The kept states of a run, in their order. */
export function keptStates(directory: string): KeptState[] {
	return statesIn(storeIn(undoDirectory(directory)).states);
}
