/** Questions of agents that wait for a person, as the files of runs tell them. */

import { isOver } from "../../core/model/agent.ts";
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import type { FoundRun } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";

export interface OpenQuestion {
	readonly found: FoundRun;
	readonly run: RunState;
	readonly question: Question;
}

/** The oldest first. */
export function questionsOf(found: FoundRun, io: Io): OpenQuestion[] {
	const loaded = orWarn(io, () => new RecordedRun(found.directory).snapshot());
	if (loaded === undefined) return [];
	warn(io, loaded.damage);
	const { state: run } = loaded;
	const isAsking = ({ agent }: Question) => run.agents[agent] !== undefined && !isOver(run.agents[agent]);
	return (run.questions ?? []).filter(isAsking).map((question) => ({ found, run, question }));
}
