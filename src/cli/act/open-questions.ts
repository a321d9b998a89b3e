/** Questions of agents that wait for a person, as the files of runs tell them. */
import { isOver } from "../../core/model/agent.ts";
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { type Io, isProcessAlive, loadRunNow, orWarn, stateDirectoryFor, warn } from "../../faces/print/io.ts";
import { type FoundRun, newestRuns } from "../../record/read-run.ts";

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
