/**
 * Asks the supervisor of a living run to act on an agent, and gives its answer. What it may not do, or cannot do any more, is
 * an error with the supervisor's own words.
 */

import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { findRunFor, type Io, stateDirectoryFor } from "../../faces/print/io.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import { describeEnding } from "../../text/states.ts";
import type { WatcherConnection } from "../../wire/watcher-connection.ts";
import type { FromWatcher, ToWatcher } from "../../wire/watcher-messages.ts";
import { connectTo, type SandboxedRun, sandboxedRun } from "../inside/sandboxed-run.ts";
import { newestLiving } from "../io/newest-living.ts";
import { ABSENT_MS, connectToRun, SLOW_MS } from "../stop/connect-to-run.ts";
import { unreachable, wordsFor } from "../stop/end-unanswered.ts";
import { supervisorProcess } from "../stop/supervisor-process.ts";

const ANSWER_MS = 10_000; // it takes milliseconds, or a second where a storm of processes takes all processors

export interface Target extends FoundRun {
	readonly agent: AgentId;
	/** Present where the run's files are hidden from this process. */
	readonly hidden?: SandboxedRun;
}

type AnswerTo<S extends ToWatcher["say"]> = Extract<ToWatcher, { say: S }>;

/** The agent that is meant: without a ref the root of the newest living run of this directory. */
export function findTarget(io: Io, ref: string | undefined): Target {
	const home = stateDirectoryFor(io);
	const hidden = sandboxedRun(io, home, ref);
	if (hidden !== undefined) return { ...hidden, hidden };
	const mayChoose = ref === undefined && parseCookie(io.env) === undefined;
	const found = (mayChoose ? newestLiving(home, io.cwd) : undefined) ?? findRunFor(io, home, ref);
	return { ...found, agent: found.agent ?? ROOT };
}

/** Resolves to the answer of that kind. Throws AgentreeError: `refused` with the reason, `out_of_reach` when there is no answer. */
export async function askRun<S extends ToWatcher["say"]>(
	target: Target,
	{ request, answer }: { request: FromWatcher; answer: S },
	io: Io,
): Promise<AnswerTo<S>> {
	if (target.hidden !== undefined) return askHidden(target, target.hidden, { request, answer }, io);
	const file = readRunFile(target.directory);
	const now = () => supervisorProcess(target, file).is;
	const supervisor = supervisorProcess(target, file);
	if (supervisor.is === "dead") throw over(target);
	const who = wordsFor(target.run, supervisor);
	if (supervisor.is === "suspended")
		throw unreachable(`${who} is suspended: let it go on with kill -CONT ${supervisor.pid}`);
	const onSlow = () => io.stderr(`agent: waiting for ${who}\n`);
	const connection = await connectToRun({
		...{ socket: file.socket, absentMs: ABSENT_MS, onSlow },
		isAlive: () => now() !== "dead",
		isSuspended: () => now() === "suspended",
	});
	if ("is" in connection) throw now() === "dead" ? over(target) : unreachable(`${who} ${connection.why}`);
	const isOver = () => readRunFile(target.directory).endedAt !== undefined;
	try {
		return await answerOf(connection, { request, answer }, { target, who, onSlow, isOver });
	} finally {
		connection.close();
	}
}

async function askHidden<S extends ToWatcher["say"]>(
	target: Target,
	hidden: SandboxedRun,
	asked: { request: FromWatcher; answer: S },
	io: Io,
): Promise<AnswerTo<S>> {
	const connection = await connectTo(hidden, io);
	const who = `the supervisor of run ${target.run}`;
	try {
		return await answerOf(connection, asked, { target, who, onSlow: () => {}, isOver: () => false });
	} finally {
		connection.close();
	}
}

function answerOf<S extends ToWatcher["say"]>(
	connection: WatcherConnection,
	{ request, answer }: { request: FromWatcher; answer: S },
	{ target, who, onSlow, isOver }: { target: Target; who: string; onSlow: () => void; isOver: () => boolean },
): Promise<AnswerTo<S>> {
	return new Promise((resolve, reject) => {
		const slow = setTimeout(onSlow, SLOW_MS);
		const silent = setTimeout(() => fail(unreachable(`${who} has said nothing for 10 s`)), ANSWER_MS);
		const settled = () => {
			clearTimeout(slow);
			clearTimeout(silent);
		};
		const fail = (error: AgentreeError) => {
			settled();
			reject(error);
		};
		connection.onMessage((message) => {
			if (message.say === "refused") return fail(new AgentreeError("refused", message.reason));
			if (message.say !== answer) return;
			settled();
			resolve(message as AnswerTo<S>);
		});
		connection.onClose(() => {
			fail(isOver() ? over(target) : unreachable(`${who} has closed the connection`));
		});
		connection.send(request);
	});
}

function over({ run, directory }: Target): AgentreeError {
	const { ending }: RunFile = readRunFile(directory);
	const how = ending === undefined ? "its supervisor died" : describeEnding(ending);
	return new AgentreeError("refused", `run ${run} is over (${how}); to go on with it: agent resume ${run} "message"`);
}
