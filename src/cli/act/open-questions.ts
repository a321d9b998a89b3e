/** Questions of agents that wait for a person, as the files of runs tell them. */
import { isOver } from "../../core/agent.ts";
import type { Question } from "../../core/questions.ts";
import type { RunState } from "../../core/run-state.ts";
import { type FoundRun, newestRuns } from "../../store/read-run.ts";
import { type Io, isProcessAlive, loadRunNow, orWarn, stateDirectoryFor, warn } from "../io/io.ts";

export interface OpenQuestion {
	readonly found: FoundRun;
	readonly run: RunState;
	readonly question: Question;
}

/** All runs that are going on, the newest last. */
export function livingRuns(io: Io): FoundRun[] {
	const runs = [...newestRuns(stateDirectoryFor(io))].filter(
		({ file }) => file.endedAt === undefined && isProcessAlive(file.supervisor),
	);
	return runs.toReversed().map(({ file, directory }) => ({ run: file.run, directory }));
}

/** The oldest first. */
export function questionsOf(found: FoundRun, io: Io): OpenQuestion[] {
	const loaded = orWarn(io, () => loadRunNow(found.directory));
	if (loaded === undefined) return [];
	warn(io, loaded.damage);
	const { state: run } = loaded;
	const isAsking = ({ agent }: Question) => run.agents[agent] !== undefined && !isOver(run.agents[agent]);
	return (run.questions ?? []).filter(isAsking).map((question) => ({ found, run, question }));
}
