/**
 * The quick reader of a child's command line. It knows the one form that agents use, `agent [run|tree] [options] "task"`;
 * whatever else stands there is for the whole command line, which is loaded then.
 */
import { parseArgs } from "node:util";
import { type OptionValues, RUN_OPTIONS } from "../config/run-options.ts";

export type ChildLine = { is: "start"; task: string | undefined; values: OptionValues } | { is: "other" };

/** Words that are commands when they stand first. */
export const COMMAND_WORDS = [
	"run",
	"tree",
	"ps",
	"show",
	"log",
	"why",
	"stop",
	"kill",
	"demo",
	"doctor",
	"help",
	"supervise",
] as const;

const OTHER: ChildLine = { is: "other" };

export function parseChildLine(args: readonly string[]): ChildLine {
	const parsed = parse(args);
	if (parsed === undefined) return OTHER;
	const [first, ...rest] = parsed.positionals;
	const isStart = first === "run" || first === "tree";
	if (!isStart && COMMAND_WORDS.some((word) => word === first)) return OTHER;
	const tasks = isStart ? rest : parsed.positionals;
	return tasks.length > 1 ? OTHER : { is: "start", task: tasks[0], values: parsed.values };
}

function parse(args: readonly string[]): { positionals: string[]; values: OptionValues } | undefined {
	const options = Object.fromEntries(
		RUN_OPTIONS.map(({ flag, short, value }) => [
			flag,
			{
				type: value === undefined ? ("boolean" as const) : ("string" as const),
				...(short === undefined ? {} : { short }),
			},
		]),
	);
	try {
		return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
	} catch {
		return undefined;
	}
}
