/** A run that came from elsewhere: it goes on only when a person has seen what it would do, and says so. */

import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE } from "../../core/limits.ts";
import { preview } from "../../core/preview.ts";
import type { RunState } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { newestLines } from "../../store/file-tail.ts";
import { parseEntry } from "../../store/read-events.ts";
import { transcriptPath } from "../../store/run-directory.ts";
import { whyForeign } from "../../store/run-origin.ts";
import { complain } from "../../terminal/print.ts";
import { formatLimit } from "../../text/limits.ts";
import { inOneLine } from "../../text/terminal-safe.ts";
import { commandIn } from "../../text/tool-call.ts";

const MAX_COMMANDS = 5;
const MAX_CHARACTERS = 1_000; // of a task or a command
const MAX_BYTES = 16 * 1024 * 1024; // how much of the transcript's end is read

export interface Resumable {
	readonly directory: string;
	readonly file: RunFile;
	readonly state: RunState;
}

/** Refuses a run that was not made here, unless `isAgreed`, and says what resuming it would do. */
export function requireOrigin(run: Resumable, { isAgreed, cwd }: { isAgreed: boolean; cwd: string }): void {
	const why = whyForeign(run.directory, run.file);
	if (why === undefined || isAgreed) return;
	const id = run.file.run;
	complain(`agent: run ${id} comes from elsewhere; agent resume would go on with`);
	for (const line of whatItWouldDo(run, cwd)) complain(`  ${line}`);
	throw new AgentreeError(
		"usage",
		`run ${id} comes from elsewhere (${inOneLine(why)}): if what it would do is what you want, agent resume ${id} --yes`,
	);
}

function whatItWouldDo({ directory, file, state }: Resumable, cwd: string): string[] {
	const root = state.agents[ROOT];
	const limits = root?.limits ?? file.limits;
	const named = LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const value = limits[key];
		return value === undefined ? [] : [`${flag} ${formatLimit(unit, value)}`];
	});
	return [
		`task: ${short(file.task)}`,
		`directory: ${short(cwd)}`,
		`model: ${short(root?.model ?? file.model)}`,
		`limits: ${named.join(", ")}`,
		...lastCommands(directory).map((command) => `command: ${short(command)}`),
	];
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
