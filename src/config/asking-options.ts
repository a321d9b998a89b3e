/** Whether the agents of a run may ask a person: options of a whole run, which no agent in it changes. */
import { AgentreeError } from "../core/errors.ts";
import { parseDuration } from "./duration.ts";
import type { OptionRow, OptionValues } from "./option-table.ts";

export const ASKING_OPTIONS: readonly OptionRow[] = [
	{ flag: "ask-wait", help: "questions of agents wait for you: agent questions shows them, agent answer answers" },
	{ flag: "ask-timeout", value: "TIME", help: "how long a question waits (default: as long as it takes)" },
];

export interface AskingRequest {
	/** A question waits for a person to come. */
	readonly waits: boolean;
	/** So long; absent: as long as it takes. */
	readonly timeoutMs?: number;
}

/** Throws AgentreeError("usage"). */
export function readAsking(values: OptionValues, env: Readonly<Record<string, string | undefined>>): AskingRequest {
	const variable = env.AGENTREE_ASK_WAIT ?? "";
	if (!["", "0", "1"].includes(variable)) throw usage(`AGENTREE_ASK_WAIT must be 1 or 0, not "${variable}"`);
	const given = values["ask-timeout"];
	const [name, value] =
		typeof given === "string" ? ["--ask-timeout", given] : ["AGENTREE_ASK_TIMEOUT", env.AGENTREE_ASK_TIMEOUT ?? ""];
	const timeoutMs = parseDuration(value);
	if ((value !== "" || typeof given === "string") && !timeoutMs)
		throw usage(`${name} must be a time such as 90s, 30m or 2h, not "${value}"`);
	return { waits: values["ask-wait"] === true || variable === "1", ...(timeoutMs && { timeoutMs }) };
}

/** Throws AgentreeError("usage") when one of the options is given, inside a run. */
export function refuseAsking(values: OptionValues): void {
	const flag = ASKING_OPTIONS.find((row) => values[row.flag] !== undefined)?.flag;
	if (flag !== undefined) throw usage(`--${flag} is said once, for a whole run, and holds for all agents in it`);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
