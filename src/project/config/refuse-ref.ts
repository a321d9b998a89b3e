/** A word that names a run or an agent is not taken for a task: the command before it was forgotten. */
import { AgentreeError } from "../../core/errors.ts";

const AGENT = /^1(\.[1-9]\d*)*$/;
/** A whole run id or its beginning, from the day on, perhaps with an agent: `20261127-201530-k3f9/1.2`. */
const RUN = /^20\d{6}(-\d{0,6}(-[a-z0-9]*)?)?(\/1(\.[1-9]\d*)*)?$/;

/** `isRun`: knows the runs that are there, of which the last characters are a name, too. Throws AgentreeError("usage"). */
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
	return new AgentreeError("usage", `"${ref}" is ${what}, not a task; did you mean ${meant}?`);
}
