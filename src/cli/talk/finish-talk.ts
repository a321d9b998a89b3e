/** What follows the end of a conversation: its run's end is waited for, and the person is told how to come back. */
import type { ChatEnd } from "../../chat/chat-end.ts";
import { EXIT } from "../../core/exit-code.ts";
import { shortRunId } from "../../core/run-id.ts";
import { replayRun } from "../../store/load-run.ts";
import { readableRunFile } from "../../store/read-run.ts";
import { complain } from "../../terminal/print.ts";
import { laterLines } from "../../worktree/runs-later.ts";
import { keptWorktreeLines } from "../text/kept-worktrees.ts";
import { hasExited } from "./supervisor-exit.ts";
import type { TalkRun } from "./talk-run.ts";

const SIGNALLED = 128;

/** Ends a run as `agent stop` does, and says how; resolves to its exit code. */
export type StopRun = (run: string) => Promise<number>;

/** Resolves to the exit code. `run`: undefined when the conversation has not begun. */
export async function finishTalk(end: ChatEnd, run: TalkRun | undefined, stop: StopRun): Promise<number> {
	if (run === undefined) return end.by === "signal" ? SIGNALLED + end.signal : 0;
	const name = shortRunId(run.run);
	const back = `agent -c here, or agent -r ${name}`;
	const isLeft = end.by === "left_running" || (end.by === "signal" && (run.isAttached || end.isLeft === true));
	if (isLeft) {
		run.supervisor?.letGo();
		run.leave();
		complain(`run ${name} goes on: ${back} comes back, agent attach ${name} watches, agent stop ${name} ends it`);
		return end.by === "signal" ? SIGNALLED + end.signal : 0;
	}
	const stopped = end.by === "lost" || (await hasExited(run)) ? undefined : await stop(run.run);
	if (stopped) complain(`agent: what is left of run ${name}: agent ps ${name}; agent kill ${name} ends it at once`);
	run.leave();
	if (end.by === "signal") return SIGNALLED + end.signal;
	const file = readableRunFile(run.directory);
	if (file === undefined) {
		complain(`agent: run ${name} cannot be read any more: its files in ${run.directory} were removed, or damaged`);
		return EXIT.outOfReach;
	}
	const { exitCode } = file;
	const kept = end.by === "lost" ? [] : keptWorktreeLines(replayRun(run.directory).state);
	for (const line of [...kept, ...laterLines(run.later())]) complain(line);
	const isLost = end.by === "lost" || exitCode === undefined; // a supervisor that dies records no end
	if (isLost && stopped === undefined)
		complain(`agent: the supervisor of run ${name} died, and its agents with it; what was said is kept`);
	if (end.after === undefined) complain(`to go on with it: ${back}`);
	if (isLost) return EXIT.outOfReach;
	return stopped || (end.by === "run_ended" ? exitCode : 0);
}
