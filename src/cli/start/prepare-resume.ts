/** Makes the settings with which a run that is over goes on, of its files and what was typed. Nothing is changed yet. */

import { dirname } from "node:path";
import type { RunRequest } from "../../config/run-request.ts";
import { prepareDirectory, socketPath } from "../../config/state-directory.ts";
import { isOver, ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../core/limits.ts";
import type { RunState } from "../../core/run-state.ts";
import type { AgentFile, RunFile } from "../../core/transcript.ts";
import { readAgentFile } from "../../store/read-run.ts";
import type { HeldLock } from "../../store/run-lock.ts";
import { type PreparedRun, prepareModel, type RunPlace, settingsOfPlace } from "./prepare-run.ts";
import { requireRoom } from "./resumable.ts";

export interface RunBefore {
	home: string;
	directory: string;
	file: RunFile;
	state: RunState;
	held: HeldLock | undefined;
}

/** Throws AgentreeError as `prepareRun`, and when the run would end again at once. */
export async function prepareResume(
	before: RunBefore,
	{ request, message }: { request: RunRequest; message: string | undefined },
	{ rootStdio, ...place }: RunPlace & { rootStdio: "inherit" | "ignore" },
): Promise<PreparedRun> {
	const { home, directory, file, state, held } = before;
	const { run, task } = file;
	const { cwd } = request;
	const root = rootFile(directory);
	const usual = state.agents[ROOT]?.model ?? file.model;
	const limits = { ...DEFAULT_LIMITS, ...file.limits, ...request.limits } satisfies Limits;
	requireRoom(state, limits);
	const { model, credentials, prices, retryPolicy } = await prepareModel(usual, { request, limits }, place);
	const socket = socketPath(place.env, place.uid, run);
	prepareDirectory(dirname(socket), place.uid);
	const effort = request.effort ?? root?.effort;
	const compactAt = request.compactAt ?? root?.compactAt;
	const settings = {
		...{ run, home, socket, task, cwd, model, limits, retryPolicy, prices, rootStdio },
		keepsBackground: request.keepsBackground,
		...settingsOfPlace(place.env),
		...defined({ effort, compactAt, systemPrompt: root?.systemPrompt, appendSystemPrompt: root?.appendSystemPrompt }),
	};
	return { settings, credentials, resume: { held, ...defined({ message }) } };
}

/** The root's agent.json; undefined when it cannot be read: the supervisor writes it anew, and says so. */
function rootFile(directory: string): AgentFile | undefined {
	try {
		return readAgentFile(directory, ROOT);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

export function hasAnswered({ agents }: RunState): boolean {
	const root = agents[ROOT];
	return root !== undefined && isOver(root) && root.state.ending.by === "answer";
}
