/** What a process says of itself when it joins: as the root that a supervisor started, or as a child. */
import { accessSync, constants } from "node:fs";
import { type OptionValues, type RunRequest, readRunRequest } from "../../config/run-options.ts";
import type { AgentId } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { modelKind } from "../../models/model-name.ts";
import { ownIdentity } from "../../processes/pid-namespace.ts";
import type { Join } from "../../protocol/messages.ts";
import { readTask } from "../../terminal/stdin.ts";
import { type AgentHost, runAgent } from "../run-agent.ts";
import type { SupervisorAddress } from "./find-supervisor.ts";

export interface StartHost extends Omit<AgentHost, "socket"> {
	pid: number;
	/** Throws AgentreeError("usage") when it is gone. */
	cwd: () => string;
}

/** The supervisor knows the root's task, model and limits. */
export function startRoot(socket: string, host: StartHost): Promise<number> {
	return runAgent({ say: "join", ...ownIdentity(host.pid), cwd: host.cwd(), limits: {} }, { ...host, socket });
}

/** Throws AgentreeError("usage") before anything has started. */
export async function startChild(
	supervisor: SupervisorAddress,
	line: { task: string | undefined; values: OptionValues },
	host: StartHost,
): Promise<number> {
	const request = readRunRequest(line.task, line.values, host);
	refuseOptionsOfRuns(request, "starts a child agent");
	const { model, effort, compactAt, cwd, limits, systemPrompt, appendSystemPrompt } = request;
	if (model !== undefined) checkModel(model);
	const task = await readTask(request.task);
	const join: Join = {
		say: "join",
		...ownIdentity(host.pid),
		...(supervisor.token === undefined ? {} : { token: supervisor.token }),
		...(supervisor.command === undefined ? {} : { command: supervisor.command }),
		task,
		cwd,
		limits,
		...(model === undefined ? {} : { model }),
		...(effort === undefined ? {} : { effort }),
		...(compactAt === undefined ? {} : { compactAt }),
		...(systemPrompt === undefined ? {} : { systemPrompt }),
		...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
	};
	return runAgent(join, { ...host, socket: supervisor.socket });
}

/** `message`: said to the agent when it goes on, `-` for stdin. Throws AgentreeError("usage") as `startChild`. */
export async function resumeChild(
	supervisor: SupervisorAddress,
	line: { agent: AgentId; message: string | undefined; values: OptionValues },
	host: StartHost,
): Promise<number> {
	const { agent, message, values } = line;
	const request = readRunRequest(message, values, host);
	refuseOptionsOfRuns(request, "takes up a child agent");
	for (const flag of ["cd", "system-prompt", "append-system-prompt", "compact-at"])
		if (values[flag] !== undefined) throw new AgentreeError("usage", `--${flag}: an agent that goes on keeps its own`);
	const { model, effort, limits } = request;
	if (model !== undefined) checkModel(model);
	const task = message === undefined ? undefined : message === "-" ? await readTask("-") : message;
	const join: Join = {
		...{ say: "join", ...ownIdentity(host.pid), cwd: host.cwd(), limits, resume: agent },
		...(supervisor.token === undefined ? {} : { token: supervisor.token }),
		...(supervisor.command === undefined ? {} : { command: supervisor.command }),
		...(task === undefined ? {} : { task }),
		...(model === undefined ? {} : { model }),
		...(effort === undefined ? {} : { effort }),
	};
	return runAgent(join, { ...host, socket: supervisor.socket });
}

function refuseOptionsOfRuns(request: RunRequest, does: string): void {
	for (const [flag, isGiven] of [
		["--keep-background", request.keepsBackground],
		["--output-format", request.outputFormat !== undefined && request.outputFormat !== "text"],
		["--env-file", request.envFile !== undefined],
	] as const)
		if (isGiven)
			throw new AgentreeError("usage", `${flag} is for the command that starts a run; this one ${does} inside a run`);
}

/** What can be known of it here; the supervisor reads a script's text. */
function checkModel(name: string): void {
	const kind = modelKind(name);
	if (kind.is !== "script") return;
	try {
		accessSync(kind.file, constants.R_OK);
	} catch (error) {
		throw new AgentreeError(
			"script",
			`cannot read the script ${kind.file}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
		);
	}
}
