/**
 * Starts what a command line asks for: a run, a run that is resumed, or inside a run a child agent. It reads the request, gathers facts,
 * plans, and hosts the run in the face that was asked for. A chat does the same in cli/chat/.
 */

import { isOver, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { refuseRef } from "../../project/config/run-names.ts";
import { formerDirectory } from "../../project/config/working-directory.ts";
import { type HeldRoot, holdRootAgent, type RootSettings } from "../../supervisor/processes/start-processes.ts";
import { complain } from "../../terminal/print.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import type { HostedFace } from "../host/host-run.ts";
import { REQUEST_HOST, startingProcess } from "../host/this-process.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { hasScreen } from "../io/process-io.ts";
import {
	type AskedSession,
	askedSession,
	isRunHere,
	refuseLiving,
	refuseSession,
	sessionWithoutChoice,
	withSessionDirectory,
} from "../sessions/find-session.ts";
import { forkRun } from "../sessions/fork-run.ts";
import { gatherFacts, readTaskOf, told } from "./gather-facts.ts";
import { finishAnswered, openEndedRun } from "./open-ended-run.ts";
import { type EndedRun, planRun, rootStdioOf } from "./plan-run.ts";
import {
	faceOf,
	isStreamInput,
	readStartRequest,
	refuseOptionsOfRuns,
	resumeRequest,
	type StartRequest,
} from "./start-request.ts";

/** `agent run` and `agent tree`. Resolves to the exit code; throws AgentreeError. */
export async function startRun(
	command: "run" | "tree",
	task: string | undefined,
	values: OptionValues,
): Promise<number> {
	refuseRef(task, isRunHere);
	const supervisor = supervisorHere();
	if (supervisor !== undefined) {
		refuseOptionsOfRuns(values);
		refuseSession(values);
		const { startChild } = await import("./start-child.ts");
		return startChild(supervisor, { task, values }, REQUEST_HOST.cwd);
	}
	const asked = askedSession(values);
	const isStream = isStreamInput(values, task);
	if (asked.is !== "new") return continueSession(asked, task, { values, isStream });
	const request = await readStartRequest(task, values, REQUEST_HOST);
	if (isStream) return streamWith(request, task, undefined);
	return startNew(request, faceOf(command, values, request, hasScreen()), command === "tree");
}

/** `isTree`: the user wants to see the tree of agents, if not on a dashboard then as progress lines. */
export async function startNew(request: StartRequest, face: HostedFace, isTree: boolean): Promise<number> {
	let heldRoot: HeldRoot | undefined;
	const hold = (place: Omit<RootSettings, "rootStdio">) => {
		heldRoot = holdRootAgent({ ...place, rootStdio: rootStdioOf(request, face) });
	};
	const isHostedHere = face === "headless" && request.worktree === undefined; // a root in a worktree starts there
	try {
		const facts = await gatherFacts(request, isHostedHere ? { onPlaced: hold } : {});
		const order = planRun(request, { face }, facts);
		const { hostRun } = await import("../host/host-run.ts"); // while the root's process starts
		return await hostRun(order, face, { request, isTree, heldRoot });
	} catch (error) {
		heldRoot?.kill();
		throw error;
	}
}

/** `agent run -c`, `-r`: as `agent resume`. */
function continueSession(
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

/** `first`: the message of the command line; without one, and without a run that is resumed, the first on stdin begins the run. */
async function streamWith(
	request: StartRequest,
	first: string | undefined,
	before: EndedRun | undefined,
): Promise<number> {
	const begin = async (message: string | undefined) => {
		const facts = await gatherFacts({ ...request, task: message }, { before, isTaskGiven: true });
		return planRun(request, { face: "stream", message }, facts);
	};
	const { outputFormat: format = "text" } = request;
	const { converseOnStream } = await import("../stream/stream-conversation.ts");
	return converseOnStream({ begin, isResumed: before !== undefined, first, format, request, input: process.stdin });
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
	const { hostRun } = await import("../host/host-run.ts");
	return hostRun(order, face, { request, isTree });
}

function hasAnswered({ agents }: RunState): boolean {
	const root = agents[ROOT];
	return root !== undefined && isOver(root) && root.state.ending.by === "answer";
}
