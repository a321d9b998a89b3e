/** Resumes a run: `agent resume`, and `agent run -c` or `-r`; inside a run a child agent. */

import { isOver, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { formerDirectory } from "../../project/config/working-directory.ts";
import { complain } from "../../terminal/print.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import { REQUEST_HOST, startingProcess } from "../host/this-process.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { hasScreen } from "../io/process-io.ts";
import type { AskedSession } from "../sessions/asked-session.ts";
import { refuseLiving, sessionWithoutChoice, withSessionDirectory } from "../sessions/find-session.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { gatherFacts, readTaskOf, told } from "./gather-facts.ts";
import { finishAnswered, openEndedRun } from "./open-ended-run.ts";
import { planRun } from "./plan-run.ts";
import { resumeRequest } from "./start-request.ts";
import { streamWith } from "./start-stream.ts";

/** `agent run -c`, `-r`: as `agent resume`. */
export function continueSession(
	asked: Exclude<AskedSession, { is: "new" }>,
	task: string | undefined,
	{ values: given, isStream }: { values: OptionValues; isStream: boolean },
): Promise<number> {
	const { continue: _, resume: __, fork, "input-format": ___, ...values } = given;
	const cwd = formerDirectory(process, process.env.PWD);
	const host = startingProcess();
	const home = told(stateDirectoryOf({ ...host, cwd }));
	const found = sessionWithoutChoice(asked, { home, cwd });
	const say = (line: string) => (values.quiet === true ? undefined : complain(`agent: ${line}`));
	if (fork !== true) refuseLiving(found);
	const { run, file } = fork === true ? forkRun(found, {}, { ...host, home }) : found;
	if (run !== found.run) say(`run ${run} is a copy of run ${found.run}, which is unchanged`);
	const placed = withSessionDirectory(values, file, { here: cwd, say });
	if (isStream) return resumeOnStream(run, task, placed);
	return resumeRun(run, task ?? (mayDeliver() ? "-" : undefined), placed);
}

async function resumeOnStream(ref: string, message: string | undefined, values: OptionValues): Promise<number> {
	const before = await openEndedRun(ref, values);
	return streamWith(resumeRequest(message, values, before, REQUEST_HOST), message, before);
}

/** `agent resume`: resumes a run from its files, in the same directory, under the same id; inside a run, a child agent. */
export async function resumeRun(
	ref: string | undefined,
	message: string | undefined,
	values: OptionValues,
): Promise<number> {
	const supervisor = supervisorHere();
	if (supervisor !== undefined) {
		const { resumeChild } = await import("./start-child.ts");
		return resumeChild(supervisor, { ref, message, values });
	}
	const before = await openEndedRun(ref, values);
	const { run } = before.file;
	if (before.state.agents[ROOT]?.paused !== undefined)
		complain(`agent: run ${run} is paused; to end the pause: agent continue ${run}`);
	const request = resumeRequest(message, values, before, REQUEST_HOST);
	const said = message === "-" || request.readsStdin ? await readTaskOf(request) : message;
	if (hasAnswered(before.state) && said === undefined) return finishAnswered(before, request.outputFormat ?? "text");
	const isTree = values.tree === true;
	const face = isTree && hasScreen() ? "dashboard" : "headless";
	const order = planRun(request, { face, message: said }, await gatherFacts(request, { before }));
	const { hostRun } = await import("./host-run.ts");
	return hostRun(order, face, { request, isTree });
}

function hasAnswered({ agents }: RunState): boolean {
	const root = agents[ROOT];
	return root !== undefined && isOver(root) && root.state.ending.by === "answer";
}
