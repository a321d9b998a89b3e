/** How a run begins: anew, with another supervisor after its end, or as a copy of another run; and what it is called. Pure. */

import { defined } from "../defined.ts";
import type { Agent } from "../model/agent.ts";
import { NO_USAGE } from "../model/usage.ts";
import { NO_PROCESS } from "../no-process.ts";
import type { RunState } from "../schemas/run-state.ts";
import type { RunEvent } from "./run-event.ts";

/** How a changed agent gets into the state. */
export type Put = (state: RunState, agent: Agent) => RunState;

type BeginEvent = Extract<RunEvent, { event: "run_started" | "run_resumed" | "run_forked" | "run_named" }>;

export function begun(state: RunState, event: BeginEvent, put: Put): RunState {
	switch (event.event) {
		case "run_started":
			return runStarted(state, event);
		case "run_resumed":
			return resumed(state, event);
		case "run_forked":
			return forked(state, event, put);
		case "run_named":
			return named(state, event.name);
	}
}

function runStarted(state: RunState, event: Extract<RunEvent, { event: "run_started" }>): RunState {
	const { event: _, at, version: __, ...rest } = event;
	return { ...state, ...rest, startedAt: at };
}

function named({ name: _, ...state }: RunState, name: string): RunState {
	return name === "" ? state : { ...state, name };
}

/** A resumed run forgets its end, its stops and its shortages; each agent stays ended until it is resumed itself. */
function resumed(state: RunState, event: Extract<RunEvent, { event: "run_resumed" }>): RunState {
	const { ended: _, stopping: __, slowed: ___, isConversation: ____, ...others } = state;
	const { skipsPermissions: _____, noSandbox: ______, ...rest } = others;
	const { pid, startTime, limits, model = state.model, cwd = state.cwd } = event;
	const { isConversation, skipsPermissions, noSandbox } = event;
	const resumes = (state.resumes ?? 0) + 1;
	const now = { pid, startTime, limits, model, cwd, ...defined({ isConversation, skipsPermissions, noSandbox }) };
	return { ...rest, ...now, closed: [], shortages: [], resumes };
}

/** A copy has spent nothing yet, and has no process and no worktree: those are the first's, and so is what waited or was paused. */
function forked(state: RunState, { run }: Extract<RunEvent, { event: "run_forked" }>, put: Put): RunState {
	const {
		ended: _,
		stopping: __,
		slowed: ___,
		questions: ____,
		lapsedQuestions: _____,
		grants: ______,
		worktrees: _______,
		...rest
	} = state;
	const copy: RunState = { ...rest, ...NO_PROCESS, run, closed: [], shortages: [] };
	return Object.values(state.agents).reduce((after, { paused: _, messages: __, asking: ___, ...agent }) => {
		return put(after, { ...agent, ...NO_PROCESS, usage: NO_USAGE, costUsd: 0 });
	}, copy);
}
