/** A line without a command and without a task: on a terminal it begins a conversation. */
import { parseArgs } from "node:util";
import { TALK_OPTIONS } from "../config/session-options.ts";
import { defined } from "../core/defined.ts";

const OPTIONS = Object.fromEntries(
	TALK_OPTIONS.map(({ flag, short, value }) => [
		flag,
		{ type: value === undefined ? ("boolean" as const) : ("string" as const), ...defined({ short }) },
	]),
);

/** `agent`, `agent -m opus`, `agent -c`: only options of a conversation. */
export function isTalkLine(args: readonly string[]): boolean {
	const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
	return tokens.every((token) => token.kind === "option" && Object.hasOwn(OPTIONS, token.name));
}
