/**
 * Asks the supervisor of a living run to act on an agent, and gives its answer. What it may not do, or cannot do any more, is
 * an error with the supervisor's own words.
 */

import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import type { Io } from "../../faces/print/io.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import type { SandboxedRun } from "../../record/run-source.ts";
import { supervisorAt, supervisorProcess, unreachable, wordsFor } from "../../record/supervisor-process.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { answerOf, askSupervisor, type Supervisor } from "../../wire/run-client.ts";
import type { FromWatcher, ToWatcher } from "../../wire/watcher-messages.ts";
import { findRunFor, newestLiving, sandboxedRun, stateDirectoryFor } from "./find-run.ts";

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
	if (hidden !== undefined) {
		const { run, directory, agent } = hidden;
		return { run, directory, agent, hidden };
	}
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
	const { supervisor, who } = reachable(target);
	const outcome = await askSupervisor<AnswerTo<S>>(
		supervisor,
		{
			say: [request],
			hear: (message) => (message.say === answer ? (message as AnswerTo<S>) : undefined),
			patienceMs: () => ANSWER_MS,
		},
		{ onSlow: () => io.stderr(`agent: waiting for ${who}\n`) },
	);
	return answerOf(outcome, ({ why }) =>
		target.hidden === undefined && isOver(target) ? over(target) : unreachable(`${who} ${why}`),
	);
}

/** Throws AgentreeError: `refused` for a run that is over, `out_of_reach` for a supervisor that cannot answer. */
function reachable(target: Target): { supervisor: Supervisor; who: string } {
	if (target.hidden !== undefined) return { supervisor: supervisorAt(target.hidden.socket), who: wordsFor(target.run) };
	const file = readRunFile(target.directory);
	const found = supervisorProcess(target, file);
	if (found.is === "dead") throw over(target);
	const who = wordsFor(target.run, found);
	if (found.is === "suspended") throw unreachable(`${who} is suspended; to resume it: kill -CONT ${found.pid}`);
	return { supervisor: supervisorAt(file.socket, () => supervisorProcess(target, file).is), who };
}

function isOver(target: Target): boolean {
	const file = readRunFile(target.directory);
	return file.endedAt !== undefined || supervisorProcess(target, file).is === "dead";
}

function over({ run, directory }: Target): AgentreeError {
	const { ending }: RunFile = readRunFile(directory);
	const how = ending === undefined ? "its supervisor died" : describeEnding(ending);
	return new AgentreeError("refused", `run ${run} has ended (${how}); to continue it: agent resume ${run} "message"`);
}

/** `run RUN`, `agent RUN/1.2`, `run RUN (3 agents)` */
export function nameOf({ run, agent }: Pick<Target, "run" | "agent">, agents?: number): string {
	const name = agent === ROOT ? `run ${run}` : `agent ${run}/${agent}`;
	return agents === undefined ? name : `${name} (${agents} ${agents === 1 ? "agent" : "agents"})`;
}
