/** The join request of a process: as the root that a supervisor started, as a new child, or as a resumed one. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import { ownIdentity } from "../../processes/table/pid-namespace.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { type RunRequest, readRunRequest } from "../../project/config/run-request.ts";
import { complain } from "../../terminal/print.ts";
import { readTask } from "../../terminal/stdin.ts";
import type { Join } from "../../wire/agent-messages.ts";

export interface JoiningProcess {
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
		if (values[flag] !== undefined) throw new AgentreeError("usage", `--${flag}: a resumed agent keeps its own`);
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
		if (isGiven)
			throw new AgentreeError("usage", `${flag} works only when a run is started; this command ${does} inside a run`);
}

/** The name as it was typed: only the supervisor knows which model it means. */
function modelAsked({ model, startedIn }: RunRequest): Pick<Join, "model" | "startedIn"> {
	return model === undefined ? {} : { model, ...defined({ startedIn }) };
}
