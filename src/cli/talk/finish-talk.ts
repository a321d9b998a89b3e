/** What follows the end of a conversation: its run's end is waited for, and the person is told how to come back. */
import type { ChatEnd } from "../../chat/chat-end.ts";
import { EXIT } from "../../core/exit-code.ts";
import { shortRunId } from "../../core/run-id.ts";
import { readRunFile } from "../../store/read-run.ts";
import { letGoOfTerminal } from "../../terminal/let-go-of-terminal.ts";
import { complain } from "../../terminal/print.ts";
import { SIGNALS } from "../../terminal/system-events.ts";
import type { TalkRun } from "./talk-run.ts";

const SIGNALLED = 128;

/** Resolves to the exit code. `run`: undefined when the conversation has not begun. */
export async function finishTalk(end: ChatEnd, run: TalkRun | undefined): Promise<number> {
	if (end.by === "signal" && end.signal === SIGNALS.SIGHUP) letGoOfTerminal();
	if (run === undefined) return end.by === "signal" ? SIGNALLED + end.signal : 0;
	const name = shortRunId(run.run);
	const back = `agent -c here, or agent -r ${name}`;
	const isLeft = end.by === "left_running" || (end.by === "signal" && run.isAttached);
	if (isLeft) {
		run.supervisor?.letGo();
		run.leave();
		complain(`run ${name} goes on: ${back} comes back, agent attach ${name} watches, agent stop ${name} ends it`);
		return end.by === "signal" ? SIGNALLED + end.signal : 0;
	}
	if (end.by !== "lost") await run.supervisor?.exited;
	run.leave();
	if (end.by === "signal") return SIGNALLED + end.signal;
	const exitCode = end.by === "run_ended" ? readRunFile(run.directory).exitCode : 0;
	const isLost = end.by === "lost" || exitCode === undefined; // a supervisor that dies records no end
	if (isLost) complain(`agent: the supervisor of run ${name} died, and its agents with it; what was said is kept`);
	if (end.after === undefined) complain(`to go on with it: ${back}`);
	return isLost ? EXIT.outOfReach : exitCode;
}
