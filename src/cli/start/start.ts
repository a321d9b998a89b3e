/**
 * Starts what a command line asks for: a run, a run that is resumed, or inside a run a child agent. It reads the request, gathers facts,
 * plans, and hosts the run in the face that was asked for. A chat does the same in cli/chat/.
 */

import { restore } from "../../agent/context/restore.ts";
import { runJoinedAgent } from "../../agent/joined-agent.ts";
import { childJoin, resumeJoin, runAgent, type StartHost } from "../../agent/start/start-agent.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { isAgentId, isOver, ROOT } from "../../core/model/agent.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { readNarrowing } from "../../project/config/asking-options.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { refuseRef } from "../../project/config/run-names.ts";
import { readSandboxWish } from "../../project/config/sandbox-options.ts";
import { formerDirectory, workingDirectory } from "../../project/config/working-directory.ts";
import { withoutGitTies } from "../../project/run-git.ts";
import { type HeldRoot, holdRootAgent, type RootSettings } from "../../supervisor/processes/start-processes.ts";
import { complain, print } from "../../terminal/print.ts";
import { mayDeliver } from "../../terminal/stdin.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { headless, progressFor, treeProgress } from "../host/headless.ts";
import { showRun } from "../host/show-run.ts";
import { spawnSupervisor } from "../host/spawn-supervisor.ts";
import { REQUEST_HOST, startingProcess } from "../host/this-process.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { bugs, exitCodeAfter, hasScreen } from "../io/process-io.ts";
import { readSchema } from "../io/user-files.ts";
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
import { converseOnStream } from "../stream/stream-conversation.ts";
import { gatherFacts, readTaskOf, told } from "./gather-facts.ts";
import { finishAnswered, openEndedRun } from "./open-ended-run.ts";
import { type EndedRun, planRun, rootStdioOf } from "./plan-run.ts";
import {
	type Face,
	faceOf,
	isStreamInput,
	readStartRequest,
	refuseOptionsOfRuns,
	resumeRequest,
	type StartRequest,
	worktreeOption,
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
		return await hostRun(planRun(request, { face }, facts), face, { request, isTree, heldRoot });
	} catch (error) {
		heldRoot?.kill();
		throw error;
	}
}

type HostedFace = Exclude<Face, "stream" | "chat">;

function hostRun(
	order: SuperviseOrder,
	face: HostedFace,
	{ request, isTree, heldRoot }: { request: StartRequest; isTree: boolean; heldRoot?: HeldRoot | undefined },
): Promise<number> {
	const { outputFormat: format = "text" } = request;
	switch (face) {
		case "headless":
			return headless(order, { format, progress: isTree ? treeProgress(request) : progressFor(request), heldRoot });
		case "dashboard":
			return showRun(order);
		case "detached":
			return detach(order);
	}
}

/** A supervisor process of its own, which nobody waits for. Prints the run's id once the supervisor runs. */
async function detach(order: SuperviseOrder): Promise<number> {
	const supervisor = await spawnSupervisor(order);
	supervisor.letGo();
	const { run } = order.settings;
	return exitCodeAfter(await print(1, `${run}\n`), 0, run);
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
function streamWith(request: StartRequest, first: string | undefined, before: EndedRun | undefined): Promise<number> {
	const begin = async (message: string | undefined) => {
		const facts = await gatherFacts({ ...request, task: message }, { before, isTaskGiven: true });
		return planRun(request, { face: "stream", message }, facts);
	};
	const { outputFormat: format = "text" } = request;
	const how = { begin, isResumed: before !== undefined, first, format, progress: progressFor(request) };
	return converseOnStream({ ...how, input: process.stdin });
}

/** `agent resume`: resumes a run from its files, in the same directory, under the same id; inside a run, a child agent. */
export async function resumeRun(
	ref: string | undefined,
	message: string | undefined,
	values: OptionValues,
): Promise<number> {
	const supervisor = supervisorHere();
	if (supervisor !== undefined) {
		if (ref === undefined || !isAgentId(ref))
			throw usage("inside a run, agent resume needs a child agent: agent resume 1.2");
		if (readNarrowing(values) !== undefined) throw usage("a resumed agent keeps its --ask, --ask-for and --deny");
		const host = childHost(values);
		return runAgent(await resumeJoin(supervisor, { agent: ref, message, values }, host), supervisor.socket, host);
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
	const facts = await gatherFacts(request, { before });
	return hostRun(planRun(request, { face, message: said }, facts), face, { request, isTree });
}

function hasAnswered({ agents }: RunState): boolean {
	const root = agents[ROOT];
	return root !== undefined && isOver(root) && root.state.ending.by === "answer";
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}

/**
 * From the full command line, which knows more options than the quick one. Resolves to the exit code. Throws AgentreeError("usage")
 * before anything has started.
 */
async function startChild(
	supervisor: SupervisorAddress,
	line: { task: string | undefined; values: OptionValues },
	cwd: () => string,
): Promise<number> {
	const jsonSchema = await readSchema(line.values["json-schema"], cwd);
	const worktree = worktreeOption(line.values);
	const host = childHost({ ...line.values, ...(worktree && { "clean-git-env": true }) }); // or git would work elsewhere
	const sandbox = readSandboxWish(line.values, { env: {}, cwd });
	const join = {
		...(await childJoin(supervisor, line, host)),
		...defined({ jsonSchema, sandbox, asking: readNarrowing(line.values), worktree }),
	};
	return runAgent(join, supervisor.socket, host);
}

function childHost(values: OptionValues): StartHost {
	const { pid } = process;
	const env = values["clean-git-env"] === true ? withoutGitTies(process.env) : process.env;
	const setTitle = (title: string) => {
		process.title = title;
	};
	return {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table: openProcessTable(env),
		setTitle,
		bugs,
		earlyMove: Promise.resolve(),
		// Loaded with the command line, which is no quick start: each file loaded on its own would cost an open file more.
		loadJoinedAgent: async () => ({ runJoinedAgent }),
		loadNamespaces: () => import("../../agent/network/namespaces.ts"),
		loadExplainRefusal: () => import("../../agent/bash/explain-refusal.ts"),
		loadRestore: async () => ({ restore }),
	};
}
