/** One conversation after the other in one terminal, as the person wants it. */
import type { ChatEnd, Then } from "../../chat/chat-end.ts";
import { stateDirectoryOf } from "../../config/chosen-directory.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { formerDirectory } from "../../config/working-directory.ts";
import { shortRunId } from "../../core/run-id.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { supervisorOf } from "../../store/load-run.ts";
import { readRunFile } from "../../store/read-run.ts";
import { letGoOfTerminal } from "../../terminal/let-go-of-terminal.ts";
import { complain } from "../../terminal/print.ts";
import { SIGNALS } from "../../terminal/system-events.ts";
import { isProcessAlive } from "../io/io.ts";
import { askedSession, sessionWithoutChoice } from "../sessions/asked-session.ts";
import { sessionDirectory } from "../sessions/session-directory.ts";
import { told } from "../start/prepare-run.ts";
import { converseIn } from "./converse-in.ts";
import { collectingIo, type ListingCommands } from "./look-up.ts";
import { attachTalk, resumeTalk, type TalkRun } from "./talk-run.ts";

/** The exit code. `values`: the options of the first conversation. */
export async function talk(
	message: string | undefined,
	values: OptionValues,
	commands: ListingCommands,
): Promise<number> {
	const { continue: isNewest, resume, ...others } = values;
	let asked = askedSession({ continue: isNewest, resume });
	let first = message;
	for (;;) {
		const run = asked.is === "new" ? undefined : await openSession(asked, others);
		const { end, run: last } = await converseIn({ run, message: first, values: others, commands });
		const exitCode = await finish(end, last);
		const after: Then | undefined = end.by === "signal" ? undefined : end.after;
		if (after === undefined) return exitCode;
		first = undefined;
		asked = after.is === "resume" ? { is: "named", wanted: after.words } : { is: "new" };
	}
}

type Asked = Exclude<ReturnType<typeof askedSession>, { is: "new" }>;

/** A living one is attached to; one that is over goes on. */
async function openSession(asked: Asked, values: OptionValues): Promise<TalkRun> {
	const cwd = formerDirectory(process, process.env.PWD);
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid: process.getuid?.() ?? 0 }));
	const { run, directory, file } = sessionWithoutChoice(asked, { home, cwd });
	if (file.endedAt === undefined && isProcessAlive(supervisorOf(file)))
		return attachTalk({ run, directory }, collectingIo({ env: process.env, now: SYSTEM_CLOCK.now }, 80).io);
	if (values.cd !== undefined) return resumeTalk(run, values);
	const place = sessionDirectory(file, cwd);
	if (place.notice !== undefined) complain(`agent: ${place.notice}`);
	return resumeTalk(run, { ...values, cd: place.cwd });
}

const LOST = 75;
const SIGNALLED = 128;

/** Waits for the end of a run that was asked to end, and says how to come back. */
async function finish(end: ChatEnd, run: TalkRun | undefined): Promise<number> {
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
	if (end.by === "lost") {
		complain(`agent: the supervisor of run ${name} died, and its agents with it; what was said is kept`);
		complain(`to go on with it: ${back}`);
		return LOST;
	}
	complain(`to go on with it: ${back}`);
	return end.by === "closed" || end.by === "stopped" ? 0 : (readRunFile(run.directory).exitCode ?? 0);
}
