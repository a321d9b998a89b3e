/** A run that is over, found and looked through before it goes on: whatever keeps it from that is an error that says what to do. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { callsIn, commandIn } from "../../core/model/message.ts";
import { preview } from "../../core/preview.ts";
import { type RunState, reduce } from "../../core/run/run-state.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues, OutputFormat } from "../../project/config/option-table.ts";
import { socketPath } from "../../project/config/user-directories.ts";
import { formerDirectory } from "../../project/config/working-directory.ts";
import { VERSION } from "../../project/version.ts";
import { newestLines } from "../../record/files/json-lines.ts";
import { replaceSafely } from "../../record/files/private-files.ts";
import { loadRunState } from "../../record/load-run.ts";
import { parseEntry } from "../../record/read-events.ts";
import { findRun, readableAgentFile, readRunFile } from "../../record/read-run.ts";
import { damageByKind, lostAgents, rebuiltRunFile, requireValid } from "../../record/repair.ts";
import { runFilePath, transcriptPath } from "../../record/run-directory.ts";
import { takeRunLock } from "../../record/run-lock.ts";
import { whyForeign } from "../../record/run-origin.ts";
import { reopenRun } from "../../record/run-writer.ts";
import { lockOwner } from "../../supervisor/run/begin-run.ts";
import { endedRunFileOf } from "../../supervisor/run/run-files.ts";
import { complain, print } from "../../terminal/print.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { lastWordsIn, printLastWords } from "../result/last-words.ts";
import { createResultWriter } from "../result/result-writer.ts";
import {
	requireDirectory,
	requireKnownVersion,
	requireOriginal,
	requireOver,
	requireOwn,
} from "../sessions/resumable.ts";
import { endLeftovers } from "../stop/leftovers.ts";
import { told } from "./gather-facts.ts";
import type { EndedRun } from "./plan-run.ts";

/** `values`: `--yes` and `--cd` count. Throws AgentreeError. */
export async function openEndedRun(ref: string | undefined, values: OptionValues): Promise<EndedRun> {
	const cwd = formerDirectory(process, process.env.PWD);
	const uid = process.getuid?.() ?? 0;
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid }));
	const { run, directory, agent = ROOT } = findRun(home, ref, cwd);
	if (agent !== ROOT)
		throw new AgentreeError(
			"usage",
			`only a whole run can be resumed from outside: agent resume ${run}; its agents then resume their own child agents`,
		);
	requireOwn(directory, run, uid);
	requireValid(directory);
	const { file, damage: lost } = reopenRunFile(directory, run);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	const { state: recorded, damage } = loadRunState(directory, () => false, { readFile: file });
	const state = lostAgents(directory, recorded).reduce(reduce, recorded);
	const isForeign = requireOrigin({ directory, file, state }, values);
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
		return { file, damage: `${(error as Error).message}; rebuilt from the run's other files` };
	}
}

/** A run that came from elsewhere: it goes on only when a person has seen what it would do, and says so; what bounds it is theirs. */

const MAX_COMMANDS = 5;
const MAX_CHARACTERS = 1_000; // of a task or a command
const MAX_BYTES = 16 * 1024 * 1024; // how much of the transcript's end is read

interface Resumable {
	readonly directory: string;
	readonly file: RunFile;
	readonly state: RunState;
}

/** Refuses a run that was not made here, without `--yes`, and says what resuming it would do. True for one that goes on all the same. */
function requireOrigin(run: Resumable, values: OptionValues): boolean {
	const why = whyForeign(run.directory, run.file);
	if (why === undefined) return false;
	const id = run.file.run;
	const [worktree] = Object.values(run.state.worktrees ?? {});
	if (worktree !== undefined)
		throw new AgentreeError(
			"usage",
			`run ${id} comes from elsewhere (${inOneLine(why)}), and had git worktrees, such as ${inOneLine(worktree.path)}, which cannot be restored here: give its task to a new run`,
		);
	if (values.yes === true) return true;
	complain(`agent: run ${id} comes from elsewhere; it would resume with`);
	for (const line of whatItWouldDo(run, values)) complain(`  ${line}`);
	throw new AgentreeError(
		"usage",
		`run ${id} comes from elsewhere (${inOneLine(why)}): to resume it anyway: agent resume ${id} --yes`,
	);
}

function whatItWouldDo({ directory, file, state }: Resumable, values: OptionValues): string[] {
	const cwd = String(values.cd ?? file.cwd);
	const { model = file.model } = state.agents[ROOT] ?? {};
	const { systemPrompt, appendSystemPrompt } = readableAgentFile(directory, ROOT) ?? {};
	const prompts = [systemPrompt, appendSystemPrompt].filter((text) => text !== undefined);
	return [
		`task: ${short(file.task)}`,
		...prompts.map((text) => `system prompt: ${short(text)}`),
		`directory: ${short(cwd)}`,
		`model: ${short(model)}`,
		"limits and sandbox: as for a new run of yours",
		...lastCommands(directory).map((command) => `command: ${short(command)}`),
	];
}

/** The newest commands that the root was told to run, the oldest of them first. */
function lastCommands(directory: string): string[] {
	const commands: string[] = [];
	for (const line of newestLines(transcriptPath(directory, ROOT), MAX_BYTES)) {
		const entry = parseEntry(line);
		if (entry?.role !== "assistant") continue;
		commands.unshift(...callsIn(entry.content).map((call) => commandIn(call) ?? JSON.stringify(call.input)));
		if (commands.length >= MAX_COMMANDS) break;
	}
	return commands.slice(-MAX_COMMANDS);
}

function short(text: string): string {
	return preview(inOneLine(text), MAX_CHARACTERS);
}

/** Prints the answer of a run that was killed before it had ended, and ends the run. Refuses a run that had ended: its answer was printed. */
export async function finishAnswered(before: EndedRun, format: OutputFormat): Promise<number> {
	const { file, directory, held } = before;
	const { run } = file;
	if (file.endedAt !== undefined)
		throw new AgentreeError(
			"usage",
			`run ${run} has answered: agent show ${run}; to continue it: agent resume ${run} "also do x"`,
		);
	const table = openProcessTable(process.env);
	const lock = takeRunLock(directory, lockOwner(table), held);
	const left = await endLeftovers({ run, directory }, { table, isHurry: true });
	const survivors = [...left.survivors];
	const end = { ending: { by: "answer" }, exitCode: 0, survivors } as const;
	const state = reduce(before.state, { event: "run_ended", at: SYSTEM_CLOCK.now(), ...end });
	const writer = reopenRun(directory);
	if (state.ended !== undefined) writer.append({ event: "run_ended", ...state.ended });
	writer.writeRun(endedRunFileOf(file, state));
	writer.close();
	lock.release();
	complain(`agent: run ${run} had answered before it was killed; here is its answer`);
	if (format === "text") return exitCodeAfter(await printLastWords(directory, file.model), 0, run);
	const { jsonSchema } = readableAgentFile(directory, ROOT) ?? {};
	const settings = { ...file, version: VERSION, ...defined({ jsonSchema }) };
	const results = createResultWriter(format, settings, (text) => print(1, text));
	const { text } = await lastWordsIn(directory);
	return exitCodeAfter(
		await results.end({ ...end, survivors, rootFinish: { lastWords: text } }, state),
		0,
		`${run}/${ROOT}`,
	);
}
