/** Settings as they are given: by a flag, else by its variable. A wrong value is a usage error that names where it was given. */
import { usageError } from "../../core/errors.ts";
import { variableOfFlag } from "../../core/limits/limits.ts";
import type { OptionValues } from "./option-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `name`: of the flag, or of the variable. */
export interface Given {
	readonly name: string;
	readonly text: string;
}

/** An empty variable counts as not set. `flag`: without dashes. */
export function given(flag: string, values: OptionValues, env: Environment = {}): Given | undefined {
	const [text, variable] = [values[flag], variableOfFlag(flag)];
	if (typeof text === "string") return { name: `--${flag}`, text };
	return env[variable] ? { name: variable, text: env[variable] } : undefined;
}

/** Throws AgentreeError("usage") for another word. */
export function oneOf<const T extends string>(given: Given | undefined, known: readonly T[]): T | undefined {
	if (given === undefined) return undefined;
	return known.find((word) => word === given.text) ?? refuse(given, `must be one of ${known.join(", ")}`);
}

/** `must`: be what? Throws AgentreeError("usage"). */
export function refuse({ name, text }: Given, must: string): never {
	throw usageError(`${name} ${must}, not "${text}"`);
}

/** The variable of a switch: AGENTREE_TRUST=1 is `--trust`. Throws AgentreeError("usage"). */
export function readSwitch(flag: string, env: Environment): boolean {
	const [name, text] = [variableOfFlag(flag), env[variableOfFlag(flag)] ?? ""];
	return text === "1" || (text !== "" && text !== "0" && refuse({ name, text }, "must be 1 or 0"));
}
