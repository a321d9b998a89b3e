/** Why a session that is alive gets no next turn from `agent run`: it has its own supervisor, and perhaps a person at a terminal. */
import { AgentreeError } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import { runTitle } from "./run-title.ts";
import { lookedAt, type Session } from "./session.ts";

const MOST_TASK_CHARS = 50;

/** Throws AgentreeError("not_started") for one that is alive: an older one in its place would be a surprise. */
export function refuseLiving(session: Session): void {
	const { state, file } = lookedAt(session);
	if (state !== "alive" && state !== "waiting") return;
	const run = shortRunId(session.run);
	const what = `run ${run} (${preview(runTitle(file), MOST_TASK_CHARS)})`;
	throw new AgentreeError("not_started", `${what} ${adviceFor(run, { isWaiting: state === "waiting", file })}`);
}

function adviceFor(run: string, { isWaiting, file }: { isWaiting: boolean; file: Session["file"] }): string {
	const others = `--fork goes on with a copy, agent stop ${run} ends it`;
	const say = `agent send ${run} "…" says it there`;
	if (isWaiting) return `is a conversation that waits for you: ${say}, agent -r ${run} shows it; ${others}`;
	if (file.isConversation) return `is a conversation at work: ${say}, agent -r ${run} shows it; ${others}`;
	return `is at work: agent wait ${run} waits for its end; ${others}`;
}
