/** Names of runs on a command line: words that name a run or an agent, and names that the user gives a run. */

import { type AgentreeError, usageError } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import { MAX_NAME_CHARS, runName } from "../../core/run/run-id.ts";
import type { OptionValues } from "./option-table.ts";

const AGENT = /^1(\.[1-9]\d*)*$/;
/** A whole run id or its beginning, from the day on, perhaps with an agent: `20261127-201530-k3f9/1.2`. */
const RUN = /^20\d{6}(-\d{0,6}(-[a-z0-9]*)?)?(\/1(\.[1-9]\d*)*)?$/;

/** Refuses a task that names a run or an agent: the command was forgotten. `isRun`: whether the last characters of a run. Throws AgentreeError("usage"). */
export function refuseRef(task: string | undefined, isRun: (word: string) => boolean = () => false): void {
	const word = task?.trim() ?? "";
	if (AGENT.test(word)) throw refusal(word, "an agent", ["show", "log", "why", "stop"]);
	if (RUN.test(word) || isRun(word)) throw refusal(word, "a run", ["ps", "show", "log", "resume", "stop"]);
}

/** Whether the word names a run or an agent, there or not. */
export function isRef(word: string, isRun: (word: string) => boolean): boolean {
	return AGENT.test(word) || RUN.test(word) || isRun(word.split("/")[0] ?? "");
}

function refusal(ref: string, what: string, commands: readonly string[]): AgentreeError {
	const meant = commands.map((command) => `agent ${command} ${ref}`).join(", ");
	return usageError(`"${ref}" is ${what}, not a task; did you mean ${meant}?`);
}

const SHOWN_CHARS = 40;

/** The name in one line; empty for none. Throws AgentreeError("usage") if it is too long. */
export function requireRunName(given: string): string {
	const name = runName(given);
	if (name !== undefined) return name;
	const shown = preview(given, SHOWN_CHARS);
	throw usageError(`a name can have ${MAX_NAME_CHARS} characters: "${shown}" is too long`);
}

/** `--name`. Throws AgentreeError("usage"), also for an empty name. */
export function nameOption({ name: given }: OptionValues): { name?: string } {
	if (typeof given !== "string") return {};
	const name = requireRunName(given);
	if (name === "") throw usageError("--name needs a name");
	return { name };
}
