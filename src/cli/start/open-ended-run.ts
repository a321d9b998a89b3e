/** A run that is over, found and looked through before it goes on: whatever keeps it from that is an error that says what to do. */
import { stateDirectoryOf } from "../../config/chosen-directory.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { socketPath } from "../../config/state-directory.ts";
import { formerDirectory } from "../../config/working-directory.ts";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { reduce } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { loadRunState } from "../../store/load-run.ts";
import { replaceSafely } from "../../store/private-files.ts";
import { findRun, readRunFile } from "../../store/read-run.ts";
import { damageByKind } from "../../store/recovery/damage.ts";
import { lostAgents } from "../../store/recovery/lost-agents.ts";
import { rebuiltRunFile } from "../../store/recovery/rebuilt-run-file.ts";
import { requireValid } from "../../store/recovery/valid-directory.ts";
import { runFilePath } from "../../store/run-directory.ts";
import { complain } from "../../terminal/print.ts";
import { requireOrigin } from "./foreign-run.ts";
import type { EndedRun } from "./prepare-resume.ts";
import { told } from "./prepare-run.ts";
import { requireDirectory, requireKnownVersion, requireOriginal, requireOver, requireOwn } from "./resumable.ts";
/** `values`: `--yes` and `--cd` count. Throws AgentreeError. */
export async function openEndedRun(ref: string | undefined, values: OptionValues): Promise<EndedRun> {
	const cwd = formerDirectory(process, process.env.PWD);
	const uid = process.getuid?.() ?? 0;
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid }));
	const { run, directory, agent = ROOT } = findRun(home, ref, cwd);
	if (agent !== ROOT)
		throw new AgentreeError(
			"usage",
			`only a whole run can be resumed from outside: agent resume ${run}; its agents then take up their own child agents`,
		);
	requireOwn(directory, run, uid);
	requireValid(directory);
	const { file, damage: lost } = reopenRunFile(directory, run);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	const { state: recorded, damage } = loadRunState(directory, () => false, { readFile: file });
	const state = lostAgents(directory, recorded).reduce(reduce, recorded);
	const isForeign = await requireOrigin({ directory, file, state }, values);
	const held = await requireOver(directory, file, SYSTEM_CLOCK.now());
	if (lost !== undefined) {
		replaceSafely(runFilePath(directory), file);
		complain(`agent: ${lost}`);
	}
	for (const what of damageByKind(damage)) complain(`agent: ${what}`);
	requireDirectory(file, values.cd !== undefined);
	return { home, directory, file, state, held, isForeign };
}

/** `damage` says why run.json had to be made from other files; it is not written yet. */
function reopenRunFile(directory: string, run: string): { file: RunFile; damage?: string } {
	try {
		return { file: readRunFile(directory) };
	} catch (error) {
		const socket = socketPath(process.env, process.getuid?.() ?? 0, run);
		const file = error instanceof AgentreeError ? rebuiltRunFile(directory, socket) : undefined;
		if (file === undefined) throw error;
		return { file, damage: `${(error as Error).message}; written anew from the run's other files` };
	}
}
