/** A child agent that is started, or resumed, by the full command line inside a run. */
import { restore } from "../../agent/context/restore.ts";
import { runJoinedAgent } from "../../agent/joined-agent.ts";
import { childJoin, resumeJoin, runAgent, type StartHost } from "../../agent/start/start-agent.ts";
import { defined } from "../../core/defined.ts";
import { usageError } from "../../core/errors.ts";
import { isAgentId } from "../../core/model/agent.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { readNarrowing } from "../../project/config/asking-options.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readSandboxWish } from "../../project/config/sandbox-options.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import { withoutGitTies } from "../../project/run-git.ts";
import { bugs } from "../io/process-io.ts";
import { readSchema } from "../io/user-files.ts";
import { worktreeOption } from "./start-request.ts";

/**
 * From the full command line, which knows more options than the quick one. Resolves to the exit code. Throws AgentreeError("usage")
 * before anything has started.
 */
export async function startChild(
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

/** Resolves to the exit code. Throws AgentreeError("usage") before anything has started. */
export async function resumeChild(
	supervisor: SupervisorAddress,
	{ ref, message, values }: { ref: string | undefined; message: string | undefined; values: OptionValues },
): Promise<number> {
	if (ref === undefined || !isAgentId(ref))
		throw usageError("inside a run, agent resume needs a child agent: agent resume 1.2");
	if (readNarrowing(values) !== undefined) throw usageError("a resumed agent keeps its --ask, --ask-for and --deny");
	const host = childHost(values);
	return runAgent(await resumeJoin(supervisor, { agent: ref, message, values }, host), supervisor.socket, host);
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
