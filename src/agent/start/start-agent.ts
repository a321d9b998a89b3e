/** The start of the agent that this process is, as the root of a run, a child, or a resumed child: how it joins, and how it runs then. */

import { setImmediate as turn } from "node:timers/promises";
import { defined } from "../../core/defined.ts";
import { EXIT, usageError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { JOINING_NAME, type SupervisorAddress } from "../../core/run/cookie.ts";
import { ownIdentity } from "../../processes/table/pid-namespace.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { type RunRequest, readRunRequest } from "../../project/config/run-request.ts";
import type { Bugs } from "../../terminal/bugs.ts";
import { complain } from "../../terminal/print.ts";
import { readTask } from "../../terminal/stdin.ts";
import type { Join, Joined } from "../../wire/agent-messages.ts";
import type { LoadExplainRefusal } from "../bash/bubblewrap-shell.ts";
import { connectSupervisor, type SupervisorClient } from "../supervisor-client.ts";

export type StartHost = Omit<AgentHost, "socket"> & JoiningProcess;

/** One agent from its connection to its end. Resolves to the exit code, with which the caller exits. */
export async function runAgent(join: Join, socket: string, host: StartHost): Promise<number> {
	host.setTitle(JOINING_NAME);
	const client = await connectSupervisor(socket);
	if ("say" in client) return notStarted(EXIT.outOfReach, client.reason);
	const replying = client.join(join);
	await turn(); // messages are written at the end of a turn of the event loop; what is loaded next must not hold this one up
	const { runJoinedAgent } = await host.loadJoinedAgent();
	const reply = await replying;
	if (reply.say === "unreachable") return notStarted(EXIT.outOfReach, reply.reason);
	if (reply.say === "refused" && reply.code === "usage") return notStarted(EXIT.usage, reply.reason);
	if (reply.say === "refused") return notStarted(EXIT.notStarted, `not started: ${reply.reason}`);
	return runJoinedAgent(reply, client, { ...host, socket });
}

function notStarted(exitCode: number, reason: string): number {
	complain(`agent: ${reason}`);
	return exitCode;
}

/** What an agent needs from the process that it runs in. */
export interface AgentHost {
	socket: string;
	env: Readonly<Record<string, string | undefined>>;
	table: ProcessTable;
	setTitle: (title: string) => void;
	/** The agent sets where its stacks are written and what is done before a bug ends it. */
	bugs: Pick<Bugs, "onBug" | "file" | "note">;
	/** Resolves when a move between cgroups is over that was begun before the join; at once when there was none. */
	earlyMove: Promise<void>;
	/** Loads what an agent needs once it has joined: a file of its own, read while the supervisor decides on the join. */
	loadJoinedAgent: () => Promise<JoinedAgentModule>;
	/** Loads what only an agent needs whose commands have a network of their own, and agent 1 in a sandbox. */
	loadNamespaces: () => Promise<Pick<typeof import("../network/namespaces.ts"), "openNetwork" | "openLayers">>;
	/** Loads what only a resumed agent needs: a new agent must not pay for it at its start. */
	loadRestore: () => Promise<Pick<typeof import("../context/restore.ts"), "restore">>;
	loadExplainRefusal: LoadExplainRefusal;
}

/** What `joined-agent.ts` exports. */
interface JoinedAgentModule {
	runJoinedAgent: (joined: Joined, client: SupervisorClient, host: AgentHost) => Promise<number>;
}

/** What a join request tells of the process itself. */
interface JoiningProcess {
	env: Record<string, string | undefined>;
	pid: number;
	/** The working directory; throws AgentreeError("usage") when it has been removed. */
	cwd: () => string;
}

/** The root's task, model and limits are not in it: the supervisor knows them. */
export function rootJoin({ pid, cwd }: JoiningProcess): Join {
	return { say: "join", ...ownIdentity(pid), cwd: cwd(), limits: {} };
}

/** The join of a child agent, from its command line. Throws AgentreeError("usage") before anything has started. */
export async function childJoin(
	supervisor: SupervisorAddress,
	line: { task: string | undefined; values: OptionValues },
	own: JoiningProcess,
): Promise<Join> {
	const request = readRunRequest(line.task, line.values, own);
	refuseOptionsOfRuns(request, "starts a child agent");
	const { effort, compactAt, cwd, limits, role, systemPrompt, appendSystemPrompt, withoutInstructions, waitsForPlace } =
		request;
	const task = await readTaskOf(request);
	return {
		say: "join",
		...ownIdentity(own.pid),
		...defined({ token: supervisor.token, command: supervisor.command }),
		task,
		cwd,
		limits,
		...modelAsked(request),
		...defined({ effort, compactAt, role, systemPrompt, appendSystemPrompt, withoutInstructions, waitsForPlace }),
	};
}

/** `message` is what the resumed agent is told, `-` reads it from stdin. Throws AgentreeError("usage") before anything has started. */
export async function resumeJoin(
	supervisor: SupervisorAddress,
	line: { agent: AgentId; message: string | undefined; values: OptionValues },
	own: JoiningProcess,
): Promise<Join> {
	const { agent, message, values } = line;
	const request = readRunRequest(message, values, own);
	refuseOptionsOfRuns(request, "resumes a child agent");
	for (const flag of ["cd", "role", "system-prompt", "append-system-prompt", "no-instructions", "compact-at"])
		if (values[flag] !== undefined) throw usageError(`--${flag}: a resumed agent keeps its own`);
	const { effort, limits, waitsForPlace } = request;
	const task = message !== undefined || request.readsStdin ? await readTaskOf(request) : undefined;
	return {
		...{ say: "join", ...ownIdentity(own.pid), cwd: own.cwd(), limits, resume: agent },
		...defined({ token: supervisor.token, command: supervisor.command, task }),
		...modelAsked(request),
		...defined({ effort, waitsForPlace }),
	};
}

/** An argument is the whole task: stdin may be what a loop reads, `while read f; do agent "check $f"; done`. */
async function readTaskOf({ task: argument, readsStdin }: RunRequest): Promise<string> {
	const { task, damage } = await readTask(argument, readsStdin ? "always" : "never");
	if (damage !== undefined) complain(`agent: ${damage}`);
	return task;
}

function refuseOptionsOfRuns(request: RunRequest, does: string): void {
	for (const [flag, isGiven] of [
		["--keep-background", request.keepsBackground],
		["--output-format", request.outputFormat !== undefined && request.outputFormat !== "text"],
		["--env-file", request.envFile !== undefined],
		["--trust", request.trustsProject === true],
	] as const)
		if (isGiven) throw usageError(`${flag} works only when a run is started; this command ${does} inside a run`);
}

/** The name as it was typed: only the supervisor knows which model it means. */
function modelAsked({ model, startedIn }: RunRequest): Pick<Join, "model" | "startedIn"> {
	return model === undefined ? {} : { model, ...defined({ startedIn }) };
}
