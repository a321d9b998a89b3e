/** A run that came from elsewhere: it goes on only when a person has seen what it would do, and says so; what bounds it is theirs. */

import { dirname } from "node:path";
import type { OptionValues } from "../../config/option-table.ts";
import { ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE } from "../../core/limits.ts";
import { preview } from "../../core/preview.ts";
import type { RunState } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { newestLines } from "../../store/file-tail.ts";
import { parseEntry } from "../../store/read-events.ts";
import { readableAgentFile } from "../../store/read-run.ts";
import { transcriptPath } from "../../store/run-directory.ts";
import { whyForeign } from "../../store/run-origin.ts";
import { statsOf } from "../../store/stats-of.ts";
import { complain } from "../../terminal/print.ts";
import { formatLimit } from "../../text/limits.ts";
import { inOneLine } from "../../text/terminal-safe.ts";
import { commandIn } from "../../text/tool-call.ts";
import { readConfiguration } from "./configuration.ts";
import { limitsAgain } from "./prepare-resume.ts";
import { AGENT_PROGRAM } from "./prepare-run.ts";
import { resumeRequest } from "./resume-request.ts";
import { runHost } from "./run-host.ts";
import { sandboxToBe } from "./sandbox-of-run.ts";

const MAX_COMMANDS = 5;
const MAX_CHARACTERS = 1_000; // of a task or a command
const MAX_BYTES = 16 * 1024 * 1024; // how much of the transcript's end is read

export interface Resumable {
	readonly directory: string;
	readonly file: RunFile;
	readonly state: RunState;
}

/** Refuses a run that was not made here, without `--yes`, and says what resuming it would do. True for one that goes on all the same. */
export async function requireOrigin(run: Resumable, values: OptionValues): Promise<boolean> {
	const why = whyForeign(run.directory, run.file);
	if (why === undefined) return false;
	const id = run.file.run;
	const [worktree] = Object.values(run.state.worktrees ?? {});
	if (worktree !== undefined)
		throw new AgentreeError(
			"usage",
			`run ${id} comes from elsewhere (${inOneLine(why)}), and has had git worktrees, as ${inOneLine(worktree.path)}, which are made again only where they were made: give its task to a new run`,
		);
	if (values.yes === true) return true;
	complain(`agent: run ${id} comes from elsewhere; agent resume would go on with`);
	for (const line of await whatItWouldDo(run, values)) complain(`  ${line}`);
	throw new AgentreeError(
		"usage",
		`run ${id} comes from elsewhere (${inOneLine(why)}): if what it would do is what you want, agent resume ${id} --yes`,
	);
}

async function whatItWouldDo({ directory, file, state }: Resumable, values: OptionValues): Promise<string[]> {
	const cwd = String(values.cd ?? file.cwd);
	const { model = file.model } = state.agents[ROOT] ?? {};
	const { systemPrompt, appendSystemPrompt } = readableAgentFile(directory, ROOT) ?? {};
	const prompts = [systemPrompt, appendSystemPrompt].filter((text) => text !== undefined);
	return [
		`task: ${short(file.task)}`,
		...prompts.map((text) => `system prompt: ${short(text)}`),
		`directory: ${short(cwd)}`,
		`model: ${short(model)}`,
		...(statsOf(cwd)?.isDirectory() === true ? await whatWouldHold({ directory, file }, values) : []),
		...lastCommands(directory).map((command) => `command: ${short(command)}`),
	];
}

/** Of the person's own settings, as for a new run there: what the run's files say of these counts for nothing. */
async function whatWouldHold(
	{ directory, file }: { readonly directory: string; readonly file: RunFile },
	values: OptionValues,
): Promise<string[]> {
	const before = { file, isForeign: true };
	const request = resumeRequest(undefined, values, before);
	const limits = limitsAgain(before, request);
	const named = LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const value = limits[key];
		return value === undefined ? [] : [`${flag} ${formatLimit(unit, value)}`];
	});
	const { sandbox: configured } = await readConfiguration(process.env, () => request.cwd);
	const home = dirname(dirname(directory)); // the state directory
	const host = { ...runHost(), home, agentProgram: AGENT_PROGRAM, ...defined({ configured }) };
	const { mode, notices } = sandboxToBe(request, host);
	return [`limits: ${named.join(", ")}`, `sandbox: ${mode ?? "none"}`, ...notices];
}

/** The newest commands that the root was told to run, the oldest of them first. */
function lastCommands(directory: string): string[] {
	const commands: string[] = [];
	for (const line of newestLines(transcriptPath(directory, ROOT), MAX_BYTES)) {
		const entry = parseEntry(line);
		if (entry?.role !== "assistant") continue;
		const calls = entry.content.filter((block) => block.type === "tool_use");
		commands.unshift(...calls.map((call) => commandIn(call) ?? JSON.stringify(call.input)));
		if (commands.length >= MAX_COMMANDS) break;
	}
	return commands.slice(-MAX_COMMANDS);
}

function short(text: string): string {
	return preview(inOneLine(text), MAX_CHARACTERS);
}
