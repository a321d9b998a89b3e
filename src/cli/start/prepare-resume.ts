/** Prepares the resumption of a run: makes its settings from its files and the request. Nothing is changed on disk yet. */

import { defined } from "../../core/defined.ts";
import { DEFAULT_LIMITS, type Limits } from "../../core/limits/limits.ts";
import { isOver, ROOT } from "../../core/model/agent.ts";
import type { AgentFile, RunFile } from "../../core/model/transcript.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { prepareSocket } from "../../project/config/chosen-directory.ts";
import { isWorktreeOf } from "../../project/worktrees/is-worktree-of.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import type { HeldLock } from "../../record/run-lock.ts";
import { answersForProject } from "./answers-for-project.ts";
import { askingOfRun } from "./asking-of-run.ts";
import { instructionSources } from "./instruction-sources.ts";
import {
	AGENT_PROGRAM,
	type PreparedRun,
	prepareModel,
	type RunFace,
	type RunHost,
	settingsOfHost,
	told,
} from "./prepare-run.ts";
import { requireRoom } from "./resumable.ts";
import { type FormerSandbox, sandboxOfRun } from "./sandbox-of-run.ts";
import type { StartRequest } from "./start-request.ts";
import { warnNoPermissions } from "./warn-no-permissions.ts";

/** A run that is over, as its files have it. */
export interface EndedRun {
	home: string;
	directory: string;
	file: RunFile;
	state: RunState;
	/** The run's lock, which its dead supervisor has left. */
	held: HeldLock | undefined;
	/** It came from elsewhere: of what bounds it nothing counts that its files say. */
	isForeign: boolean;
}

/** Those of a run that goes on. */
export function limitsAgain(
	{ file, isForeign }: Pick<EndedRun, "file" | "isForeign">,
	{ limits }: Pick<StartRequest, "limits">,
): Limits {
	return { ...DEFAULT_LIMITS, ...(isForeign ? {} : file.limits), ...limits } satisfies Limits;
}

/** Prepares the resumption. Throws AgentreeError as `prepareRun` does, and when the run would end again at once. */
export async function prepareResume(
	before: EndedRun,
	{ request, message }: { request: StartRequest; message: string | undefined },
	{ rootStdio, face, ...host }: RunHost & RunFace,
): Promise<PreparedRun> {
	const { home, directory, file, state, held, isForeign } = before;
	const { run, task } = file;
	const { cwd } = request;
	const root = readableAgentFile(directory, ROOT); // without it the supervisor writes it anew, and says so
	const defaultModel = state.agents[ROOT]?.model ?? file.model;
	const limits = limitsAgain(before, request);
	requireRoom(state, limits);
	const { credentials, configuration, ...forModels } = await prepareModel(defaultModel, { request, limits }, host);
	const socket = told(prepareSocket(run, home, host));
	const effort = request.effort ?? root?.effort;
	const compactAt = request.compactAt ?? root?.compactAt;
	const { systemPrompt, appendSystemPrompt, role } = root ?? {};
	const withoutInstructions = (!isForeign && root?.withoutInstructions) || request.withoutInstructions;
	const sources = await instructionSources({ ...request, withoutInstructions }, { ...host, home });
	warnNoPermissions(request);
	const had = state.worktrees?.[ROOT];
	const worktree = had !== undefined && isWorktreeOf(had, cwd) ? had : undefined;
	const settings = {
		...{ run, home, socket, task, cwd, limits, rootStdio, ...forModels },
		keepsBackground: request.keepsBackground,
		...settingsOfHost(host.env, request, forModels.hosts),
		...sandboxOfRun(request, {
			...{ ...host, home, agentProgram: AGENT_PROGRAM, configured: configuration.sandbox, worktree },
			before: isForeign ? { is: "unknown" } : formerSandbox(file, root),
		}),
		...defined({
			asking: askingOfRun(request.asking, {
				configuration,
				face,
				ofProject: sources.rules,
				answers: answersForProject(cwd, host.env),
			}),
			name: request.name,
			effort,
			compactAt,
			systemPrompt,
			appendSystemPrompt,
			role,
			withoutInstructions,
		}),
		instructions: sources.instructions,
	};
	return { settings, credentials, resume: { held, ...defined({ message }) } };
}

/** Permissions are skipped as often as a person says so; where no sandbox could be had before there may be one now. */
function formerSandbox({ skipsPermissions, noSandbox }: RunFile, root: AgentFile | undefined): FormerSandbox {
	if (root === undefined || skipsPermissions || noSandbox !== undefined) return { is: "unknown" };
	return root.sandbox === undefined ? { is: "none" } : { is: "some", was: root.sandbox };
}

/** True when the root agent has answered. */
export function hasAnswered({ agents }: RunState): boolean {
	const root = agents[ROOT];
	return root !== undefined && isOver(root) && root.state.ending.by === "answer";
}
