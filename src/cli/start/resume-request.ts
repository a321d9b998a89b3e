/** The request for a run that goes on. */
import type { OptionValues } from "../../config/option-table.ts";
import { type RunRequest, readRunRequest } from "../../config/run-request.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE } from "../../core/limits.ts";

/** A resumed run keeps its model and its limits: only a flag changes them, not a variable that is set for new runs. */
export function resumeRequest(message: string | undefined, { tree: _, yes: __, ...values }: OptionValues): RunRequest {
	const ofNewRuns = [
		"AGENTREE_MODEL",
		"ANTHROPIC_MODEL",
		"AGENTREE_COMPACT_AT",
		...LIMIT_TABLE.map(({ variable }) => variable),
	];
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofNewRuns.includes(name)));
	const request = readRunRequest(message, values, { env, cwd: () => workingDirectory(process.cwd) });
	if (values.tree === true && request.outputFormat !== undefined && request.outputFormat !== "text")
		throw new AgentreeError("usage", "--tree prints the answer as text; --output-format is for a run without it");
	return request;
}
