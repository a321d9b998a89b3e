/** The run of a conversation: begun with its first message, resumed, or found alive. */
import { dirname, join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { OpenRun } from "../../faces/chat/chat-host.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import type { RunsLater } from "../../project/undo/runs-later.ts";
import { isWorktreeOf } from "../../project/worktrees/place-worktree.ts";
import { LivingRun, linkToRun } from "../../record/living-run.ts";
import { type FoundRun, readableAgentFile, readRunFile } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { BUGS_FILE } from "../../terminal/bugs.ts";
import { complain } from "../../terminal/print.ts";
import { HeldSignals } from "../../tui/terminal/system-events.ts";
import type { RunSettings, SuperviseOrder } from "../../wire/supervise-order.ts";
import { laterLook } from "../host/later-look.ts";
import { type SpawnedSupervisor, spawnSupervisor } from "../host/spawn-supervisor.ts";
import { REQUEST_HOST } from "../host/this-process.ts";
import { bugs } from "../io/process-io.ts";
import { gatherFacts } from "../start/gather-facts.ts";
import { openEndedRun } from "../start/open-ended-run.ts";
import { planRun } from "../start/plan-run.ts";
import { resumeRequest, type StartRequest } from "../start/start-request.ts";

export interface ChatRun extends OpenRun {
	readonly run: string;
	/** The working directory of the agent that the person talks with. */
	readonly cwd: string;
	/** Started by this process; undefined: somebody else has. */
	readonly supervisor: SpawnedSupervisor | undefined;
	/** What other programs run, and was changed since the chat began or was resumed. */
	readonly later: () => RunsLater[];
	readonly leave: () => void;
}

/** `request.task` is the first message. Rejects with AgentreeError for whatever keeps the run from starting. */
export async function beginChatRun(request: StartRequest): Promise<ChatRun> {
	return open(planRun(request, { face: "chat" }, await gatherFacts(request, {})));
}

/** Resumes a run that is over: its agent waits for the next message. */
export async function resumeChatRun(ref: string, values: OptionValues): Promise<ChatRun> {
	const before = await openEndedRun(ref, values);
	const request = resumeRequest(undefined, values, before, REQUEST_HOST);
	const order = planRun(request, { face: "chat" }, await gatherFacts(request, { before }));
	const signals = new HeldSignals().hold(); // one that comes before the conversation is there ends the run, too
	try {
		return { ...(await open(order)), onListening: () => signals.release() };
	} catch (error) {
		signals.release();
		throw error;
	}
}

export async function attachChatRun(found: FoundRun): Promise<ChatRun> {
	const { run, directory } = found;
	const { isConversation } = readRunFile(directory);
	if (isConversation !== true)
		throw new AgentreeError("refused", `run ${run} is live but not a chat: agent attach ${run}`);
	const link = await linkTo(found);
	watchForBugs(directory, run);
	const { cwd } = readableAgentFile(directory, ROOT) ?? readRunFile(directory);
	const later = laterLook({ run, home: dirname(dirname(directory)), cwd, env: process.env });
	const mine = { supervisor: undefined, leave: () => link.close(), later };
	return { run, directory, cwd, link, isAttached: true, notices: [], ...mine };
}

async function open(order: SuperviseOrder): Promise<ChatRun> {
	const { settings } = order;
	const later = laterLook(settings);
	const supervisor = await spawnSupervisor(order);
	const { run } = settings;
	const { directory } = supervisor;
	watchForBugs(directory, run);
	const link = await linkTo({ run, directory });
	const cwd = directoryOfRoot(directory, settings);
	return { run, directory, cwd, link, isAttached: false, notices: [], supervisor, later, leave: () => link.close() };
}

/** Where its agent works: in its git worktree, where it has one. A long event log is not read for it: that takes seconds. */
function directoryOfRoot(directory: string, { cwd, worktree }: Pick<RunSettings, "cwd" | "worktree">): string {
	const had = readableAgentFile(directory, ROOT)?.worktree;
	const own = worktree ?? (had !== undefined && isWorktreeOf(had, cwd) ? had : undefined);
	return own?.cwd ?? cwd;
}

/** A link that breaks while the supervisor lives is made again: the supervisor closes one that does not read for long. */
async function linkTo(found: FoundRun): Promise<LivingRun> {
	const watching = { uid: process.getuid?.() ?? 0, talks: true, warn: () => {} };
	const link = await linkToRun(new RecordedRun(found.directory), watching);
	if (link instanceof LivingRun) return link;
	throw new AgentreeError("refused", `run ${found.run} has just ended: try again`);
}

function watchForBugs(directory: string, run: string): void {
	process.title = `agent conversation ${run}`; // a task is no longer in argv, where `pkill -f` would find it
	bugs.file = join(directory, BUGS_FILE);
	bugs.onBug = async ({ line }) => {
		complain(`agent: the chat failed: ${line}`);
		complain(`run ${run} is still running: agent -r ${run}`);
	};
}
