/** The request for a run that goes on. */

import { AgentreeError } from "../../core/errors.ts";
import { variableOfFlag } from "../../core/limits/flag-variable.ts";
import { LIMIT_TABLE } from "../../core/limits/limits.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readRunRequest } from "../../project/config/run-request.ts";
import { SANDBOX_OPTIONS } from "../../project/config/sandbox-options.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import type { EndedRun } from "./prepare-resume.ts";
import { type StartRequest, startOptions } from "./start-request.ts";

/**
 * A resumed run keeps its model, its limits and its sandbox: only a flag changes them, not a variable that is set for new runs. One
 * from elsewhere keeps its model alone.
 */
export function resumeRequest(
	message: string | undefined,
	{ tree: _, yes: __, ...given }: OptionValues,
	{ file, isForeign }: Pick<EndedRun, "file" | "isForeign">,
): StartRequest {
	const values: OptionValues = { cd: file.cwd, ...given };
	const ofBounds = [
		...SANDBOX_OPTIONS.map(({ flag }) => variableOfFlag(flag)),
		...LIMIT_TABLE.map(({ variable }) => variable),
	];
	const ofNewRuns = ["AGENTREE_MODEL", "ANTHROPIC_MODEL", "AGENTREE_COMPACT_AT", ...(isForeign ? [] : ofBounds)];
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofNewRuns.includes(name)));
	const host = { env, cwd: () => workingDirectory(process.cwd) };
	const request = { ...readRunRequest(message, values, host), ...startOptions(values, host) };
	if (values.tree === true && request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError("usage", "--tree prints the answer as text; --output-format is for a run without it");
	return request;
}
