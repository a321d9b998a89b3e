/** The request for a run, with what a child agent cannot ask for, or only by the full command line. */
import { resolve } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import type { SandboxWish } from "../../core/machine/sandbox.ts";
import { type AskingRequest, readAsking } from "../../project/config/asking-options.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { nameOption } from "../../project/config/require-run-name.ts";
import { type RequestHost, type RunRequest, readRunRequest } from "../../project/config/run-request.ts";
import { readSandboxWish } from "../../project/config/sandbox-wish.ts";
import { type AskedWorktree, worktreeOption } from "./asked-worktree.ts";
import { readSchema } from "./read-schema.ts";

export interface StartRequest extends RunRequest {
	/** What the run is to be called. */
	readonly name?: string;
	readonly sandbox?: SandboxWish | undefined;
	/** Names of models with commas between them. */
	readonly fallbackModel?: string | undefined;
	/** A file of another tool. */
	readonly credentialsFile?: string | undefined;
	readonly asking?: AskingRequest;
	/** The text of the JSON Schema that the answer has to fit. */
	readonly jsonSchema?: string | undefined;
	/** Stdin is no part of the task, which is as it was said. */
	readonly isStdinTaken?: true;
	/** A git worktree is made for the root. */
	readonly worktree?: AskedWorktree | undefined;
}

/** Throws AgentreeError("usage"). */
export async function readStartRequest(
	task: string | undefined,
	values: OptionValues,
	host: RequestHost,
): Promise<StartRequest> {
	const request = { ...readRunRequest(task, values, host), ...startOptions(values, host) };
	return { ...request, jsonSchema: await readSchema(values["json-schema"], host.cwd) };
}

/** What holds for a run that goes on, too. Throws AgentreeError("usage"). */
export function startOptions(
	values: OptionValues,
	host: RequestHost,
): Pick<StartRequest, "name" | "fallbackModel" | "credentialsFile" | "sandbox" | "worktree" | "asking"> {
	const { env, cwd } = host;
	const { "credentials-file": file, "fallback-model": models = env.AGENTREE_FALLBACK_MODEL } = values;
	if (values["wait-for-place"] === true)
		throw new AgentreeError("usage", "--wait-for-place is for a child agent: a run of its own waits for no place");
	if (file === "") throw new AgentreeError("usage", "--credentials-file needs a file");
	return {
		fallbackModel: typeof models === "string" && models !== "" ? models : undefined,
		...nameOption(values),
		sandbox: readSandboxWish(values, host),
		worktree: worktreeOption(values),
		asking: readAsking(values, env),
		credentialsFile: typeof file === "string" ? resolve(cwd(), file) : undefined,
	};
}
