/** Goes on with a conversation: one that is alive is attached to, one that is over is resumed, and of either a copy may be made. */
import type { CutAt } from "../../chat/chat-end.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run-id.ts";
import { supervisorOf } from "../../store/load-run.ts";
import { complain } from "../../terminal/print.ts";
import { isProcessAlive } from "../io/io.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { runTitle } from "../sessions/run-title.ts";
import type { Session } from "../sessions/session.ts";
import { withSessionDirectory } from "../sessions/session-directory.ts";
import { runHost } from "../start/run-host.ts";
import { attachTalk, resumeTalk, type TalkRun } from "./talk-run.ts";

const MOST_TITLE_CHARS = 60;

export type GoOn = Pick<Session, "run" | "directory" | "file">;

export interface OpenSession {
	/** The state directory. */
	readonly home: string;
	/** Where the person is. */
	readonly cwd: string;
	readonly values: OptionValues;
	/** A copy is gone on with. */
	readonly isFork: boolean;
	/** Before which message of the person the copy ends. */
	readonly cut?: CutAt | undefined;
}

/** Rejects with AgentreeError. */
export async function openSession(session: GoOn, how: OpenSession): Promise<TalkRun> {
	const { home, cwd, values, isFork, cut } = how;
	if (isFork) {
		const copy = forkRun(session, { before: cut?.message }, { ...runHost(), home });
		complain(`run ${shortRunId(copy.run)} is a copy of run ${shortRunId(session.run)}, which stays as it is`);
		return resume(copy, { cwd, values });
	}
	const { run, directory, file } = session;
	const title = preview(runTitle(file), MOST_TITLE_CHARS);
	complain(`going on with run ${shortRunId(run)}: ${title}`); // a supervisor takes its time to start
	if (file.endedAt === undefined && isProcessAlive(supervisorOf(file))) return attachTalk({ run, directory });
	return resume(session, { cwd, values });
}

function resume({ run, file }: GoOn, { cwd, values }: Pick<OpenSession, "cwd" | "values">): Promise<TalkRun> {
	const say = (notice: string) => complain(`agent: ${notice}`);
	return resumeTalk(run, withSessionDirectory(values, file, { here: cwd, say }));
}
