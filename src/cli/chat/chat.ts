/** One conversation after the other in one terminal, as the person wants it. */
import { setTimeout as sleep } from "node:timers/promises";
import { AgentreeError, EXIT } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import type { ChatEnd, CutAt, Then } from "../../faces/chat/chat-state.ts";
import { keptWorktreeLines } from "../../faces/print/kept-worktrees.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { formerDirectory } from "../../project/config/working-directory.ts";
import { laterLines } from "../../project/undo/runs-later.ts";
import { isRunning, replayRun } from "../../record/load-run.ts";
import { readableRunFile } from "../../record/read-run.ts";
import { supervisorProcess, wordsFor } from "../../record/supervisor-process.ts";
import { complain } from "../../terminal/print.ts";
import { startingProcess } from "../host/this-process.ts";
import { typedAhead } from "../io/ask-key.ts";
import { askedSession } from "../sessions/asked-session.ts";
import { findSessions, oneSession, sessionWithoutChoice, withSessionDirectory } from "../sessions/find-session.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { runTitle, type Session } from "../sessions/session.ts";
import { told } from "../start/gather-facts.ts";
import type { ChatCommands } from "./chat-host.ts";
import { attachChatRun, type ChatRun, resumeChatRun } from "./chat-run.ts";
import { createChat, type Started } from "./create-chat.ts";

/** Resolves to the exit code. `values`: the options of the first conversation. */
export async function chat(message: string | undefined, values: OptionValues, commands: ChatCommands): Promise<number> {
	typedAhead.hold(process.stdin);
	try {
		return await chatAfterChat(message, values, commands);
	} finally {
		typedAhead.take();
	}
}

async function chatAfterChat(
	message: string | undefined,
	values: OptionValues,
	commands: ChatCommands,
): Promise<number> {
	const { continue: _, resume: __, fork, name, ...others } = values;
	const cwd = formerDirectory(process, process.env.PWD);
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid: process.getuid?.() ?? 0 }));
	const place = { home, cwd, values: others };
	let own: OptionValues = { ...others, name }; // a name is for the first conversation alone
	let started = await startBy(values, message, { ...place, values: own });
	for (;;) {
		const { end, run } = await createChat(started, own, commands);
		const exitCode = await finishChat(end, run, commands.stop);
		const after: Then | undefined = end.by === "signal" ? undefined : end.after;
		if (after === undefined) return exitCode;
		own = others;
		started = await startAfter(after, run, place);
	}
}

type Place = Pick<OpenSession, "home" | "cwd" | "values">;

/** By the options of the command line. Rejects with AgentreeError. */
async function startBy(options: OptionValues, message: string | undefined, place: Place): Promise<Started> {
	const asked = askedSession(options);
	const isFork = options.fork === true;
	if (asked.is === "new") return { run: undefined, message };
	if (asked.is === "choose") return { run: undefined, message, picks: { words: "", isFork } };
	const { home, cwd } = place;
	const isUnclear = asked.is === "named" && findSessions(home, asked.wanted, cwd).is === "several";
	if (isUnclear) return { run: undefined, message, picks: { words: asked.wanted, isFork } };
	return { run: await openSession(sessionWithoutChoice(asked, place), { ...place, isFork }), message };
}

/** As the person has chosen in the chat before. If that cannot be resumed, a line says so and a new chat begins. */
async function startAfter(after: Then, last: ChatRun | undefined, place: Place): Promise<Started> {
	if (after.is === "new") return { run: undefined, message: undefined, draft: after.draft };
	const { home, cwd } = place;
	const { isFork, cut, run = last?.run ?? "" } = after;
	try {
		const opened = await openSession(oneSession(home, run, cwd), { ...place, isFork, cut });
		return { run: opened, message: undefined, draft: cut?.text };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		complain(`agent: ${error.message}`);
		return { run: undefined, message: undefined, draft: cut?.text };
	}
}

const SIGNALED = 128;

/** Resolves to the exit code. `run`: undefined when the conversation has not begun. */
export async function finishChat(end: ChatEnd, run: ChatRun | undefined, stop: ChatCommands["stop"]): Promise<number> {
	if (run === undefined) return end.by === "signal" ? SIGNALED + end.signal : 0;
	const name = shortRunId(run.run);
	const back = `agent -c here, or agent -r ${name}`;
	const isLeft = end.by === "left_running" || (end.by === "signal" && (run.isAttached || end.isLeft === true));
	if (isLeft) {
		run.supervisor?.letGo();
		run.leave();
		complain(
			`run ${name} is still running; to return: ${back}; to watch: agent attach ${name}; to stop: agent stop ${name}`,
		);
		return end.by === "signal" ? SIGNALED + end.signal : 0;
	}
	const stopped = end.by === "lost" || (await hasExited(run)) ? undefined : await stop(run.run);
	if (stopped)
		complain(
			`agent: to see what is left of run ${name}: agent ps ${name}; to end it at once: agent stop --now ${name}`,
		);
	run.leave();
	if (end.by === "signal") return SIGNALED + end.signal;
	const file = readableRunFile(run.directory);
	if (file === undefined) {
		complain(`agent: run ${name} cannot be read: its files in ${run.directory} were removed or damaged`);
		return EXIT.outOfReach;
	}
	const { exitCode } = file;
	const kept = end.by === "lost" ? [] : keptWorktreeLines(replayRun(run.directory).state);
	for (const line of [...kept, ...laterLines(run.later())]) complain(line);
	const isLost = end.by === "lost" || exitCode === undefined; // a supervisor that dies records no end
	if (isLost && stopped === undefined)
		complain(`agent: the supervisor of run ${name} died, and its agents with it; the chat is saved`);
	if (end.after === undefined) complain(`To resume: ${back}`);
	if (isLost) return EXIT.outOfReach;
	return stopped || (end.by === "run_ended" ? exitCode : 0);
}

/** Whether the supervisor of a conversation, which was asked to end its run, does so: one that is suspended, or hangs, is not waited for. */

const LOOK_MS = 250;
const SAY_MS = 1_500;
const MOST_MS = 10_000; // agents that ignore a stop have 5.5 s, and their processes are ended after that

/** Resolves to false when it does not; a line on stderr says that it is waited for when that takes long. */
async function hasExited(run: Pick<ChatRun, "run" | "directory" | "supervisor">): Promise<boolean> {
	const exited = run.supervisor === undefined ? [] : [run.supervisor.exited];
	let suspendedLooks = 0; // a single look may see a debugger, or a short stop
	for (let waitedMs = 0; waitedMs < MOST_MS; waitedMs += LOOK_MS) {
		const file = readableRunFile(run.directory);
		if (file === undefined) return true; // its files are gone: nothing names a supervisor
		const found = supervisorProcess(run, file);
		if (found.is === "dead") return true;
		suspendedLooks = found.is === "suspended" ? suspendedLooks + 1 : 0;
		if (suspendedLooks === 2) return false;
		if (waitedMs === SAY_MS) complain(`agent: waiting for ${wordsFor(run.run, found)}`);
		await Promise.race([sleep(LOOK_MS), ...exited]);
	}
	return false;
}

/** Resumes a chat: attaches to one that is alive, and resumes one that is over; of either a copy can be made. */

const MOST_TITLE_CHARS = 60;

type GoOn = Pick<Session, "run" | "directory" | "file">;

interface OpenSession {
	readonly home: string;
	readonly cwd: string;
	readonly values: OptionValues;
	/** A copy is resumed. */
	readonly isFork: boolean;
	/** Before which message of the person the copy ends. */
	readonly cut?: CutAt | undefined;
}

/** Rejects with AgentreeError. */
async function openSession(session: GoOn, how: OpenSession): Promise<ChatRun> {
	const { home, cwd, values, isFork, cut } = how;
	if (isFork) {
		const copy = forkRun(session, { before: cut?.message }, { ...startingProcess(), home });
		complain(`run ${shortRunId(copy.run)} is a copy of run ${shortRunId(session.run)}, which is unchanged`);
		return resume(copy, { cwd, values });
	}
	const { run, directory, file } = session;
	const title = preview(runTitle(file), MOST_TITLE_CHARS);
	complain(`resuming run ${shortRunId(run)}: ${title}`); // a supervisor takes its time to start
	if (isRunning(file)) return attachChatRun({ run, directory });
	return resume(session, { cwd, values });
}

function resume({ run, file }: GoOn, { cwd, values }: Pick<OpenSession, "cwd" | "values">): Promise<ChatRun> {
	const say = (notice: string) => complain(`agent: ${notice}`);
	return resumeChatRun(run, withSessionDirectory(values, file, { here: cwd, say }));
}
