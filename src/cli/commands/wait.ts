/**
 * `agent wait`: waits until a run, or an agent of it, is over, and exits as that did. It reads the run's files alone: so
 * there may be any number of waiters, none costs the supervisor anything, and what happens to that is seen, too.
 */
import type { Command } from "../../config/command-table.ts";
import { type AgentId, type Ending, isOver, isWithin, ROOT } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import { AgentreeError } from "../../core/errors.ts";
import { exitCodeOf } from "../../core/exit-code.ts";
import type { RunState } from "../../core/run-state.ts";
import type { FoundRun } from "../../store/read-run.ts";
import { safeJson } from "../../text/safe-json.ts";
import { type HiddenRun, hiddenRun, watchUntil } from "../inside/hidden-run.ts";
import { followRun } from "../io/follow-run.ts";
import { findRunFor, type Io, loadRunNow, stateDirectoryFor, warn } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { json }) => withProcessIo((io) => wait({ ref, json: json === true }, io));

export interface WaitOptions {
	/** A run without an agent: until nothing of the run lives any more. */
	readonly ref?: string | undefined;
	/** Prints the ending as one object; else nothing is printed. */
	readonly json: boolean;
}

interface End {
	readonly at: number;
	readonly ending: Ending;
	readonly exitCode: number;
}

async function wait({ ref, json }: WaitOptions, io: Io): Promise<number> {
	const home = stateDirectoryFor(io);
	const hidden = hiddenRun(io, home, ref);
	const found: FoundRun = hidden === undefined ? findRunFor(io, home, ref) : foundBehind(hidden);
	refuseOwnEnd(found, io);
	const end = hidden === undefined ? await endOf(found, io) : await endOfHidden(hidden, io);
	if (end === undefined) return 0;
	const { at, ending, exitCode } = end;
	if (json) {
		const { run, agent = null } = found;
		io.stdout(`${safeJson({ run, agent, ending, exit_code: exitCode, ended_at: at }, "\t")}\n`);
	}
	return exitCode;
}

/** An agent that waited for itself, or for one above it, would wait until its command is ended. */
function refuseOwnEnd({ run, agent = ROOT }: FoundRun, { env }: Io): void {
	const own = parseCookie(env);
	if (own?.run !== run || own.agent === undefined || !isWithin(own.agent, agent)) return;
	const what = own.agent === agent ? "itself" : `agent ${agent}, which ends after it`;
	throw new AgentreeError("usage", `agent ${own.agent} cannot wait for ${what}; it may wait for any other agent`);
}

/** The whole run ends after whoever waits for it inside. */
function foundBehind({ run, directory, agent, isNamed }: HiddenRun): FoundRun {
	return isNamed ? { run, directory, agent } : { run, directory };
}

function endOfHidden(hidden: HiddenRun, io: Io): Promise<End | undefined> {
	const { run, agent } = hidden;
	const find = (state: RunState) => {
		if (state.agents[agent] === undefined)
			throw new AgentreeError("not_found", `run ${run} has no agent ${agent}; agent ps lists its agents`);
		return endIn(state, agent);
	};
	return watchUntil(hidden, find, io);
}

/** Undefined when nobody reads stdout any more. What was over may have gone on by the time that the files are read. */
async function endOf({ run, directory, agent }: FoundRun, io: Io): Promise<End | undefined> {
	const following = { agent, onEvent: () => {}, damaged: () => {}, signal: io.signal };
	for (;;) {
		if ((await followRun(directory, following)) === "aborted") return undefined;
		const { state, damage } = loadRunNow(directory);
		if (agent !== undefined && state.agents[agent] === undefined)
			throw new AgentreeError("not_found", `the event log of run ${run} has no agent ${agent}`);
		const end = endIn(state, agent);
		if (end === undefined) continue;
		warn(io, damage);
		return end;
	}
}

function endIn({ ended, agents }: RunState, id: AgentId | undefined): End | undefined {
	if (id === undefined) return ended;
	const agent = agents[id];
	if (agent === undefined || !isOver(agent)) return undefined;
	const { at, ending } = agent.state;
	return { at, ending, exitCode: exitCodeOf(ending) };
}
