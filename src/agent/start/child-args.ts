/**
 * The quick reader of a child's command line. It knows the forms that agents use, `agent [run|tree] [options] "task"` and
 * `agent resume 1.2 ["message"]`; whatever else stands there is for the whole command line, which is loaded then.
 */

import { parseArgs } from "node:util";
import { defined } from "../../core/defined.ts";
import { type AgentId, isAgentId } from "../../core/model/agent.ts";
import { isCommandWord } from "../../project/config/command-words.ts";
import { type OptionValues, RUN_OPTIONS } from "../../project/config/option-table.ts";

type ChildLine =
	| { is: "start"; task: string | undefined; values: OptionValues }
	| { is: "resume"; agent: AgentId; message: string | undefined; values: OptionValues }
	| { is: "other" };

const OTHER: ChildLine = { is: "other" };

export function parseChildLine(args: readonly string[]): ChildLine {
	if (args.some(isOdd)) return OTHER;
	const ordered = withWordFirst(args);
	if (ordered[0] === "resume") return parseResume(ordered.slice(1));
	const isStart = ordered[0] === "run" || ordered[0] === "tree";
	if (!isStart && isCommandWord(ordered[0])) return OTHER;
	const parsed = parse(isStart ? ordered.slice(1) : ordered);
	if (parsed === undefined || parsed.positionals.length > 1 || mayBeRef(parsed.positionals[0], isStart)) return OTHER;
	return { is: "start", task: parsed.positionals[0], values: parsed.values };
}

/** Bytes that may be no UTF-8, or a task that begins with a dash: `-m` in front of `y plan` is no option. */
function isOdd(arg: string): boolean {
	return /^-[^-].*\s|\ufffd/s.test(arg);
}

/**
 * `1.2`, `20261127-201530-k3f9`, `k3f9`: perhaps no task, but the name of an agent or a run. Without `run` before it a word of
 * four letters is a task, such as `date`: the full command line would take it for a mistyped command.
 */
function mayBeRef(task = "", isBehindRun: boolean): boolean {
	if (/^\s*(1[.\d]*|20\d{6}\S*)\s*$/.test(task)) return true;
	return /^[a-z0-9]{4}$/.test(task) && (isBehindRun || /\d/.test(task));
}

function parseResume(args: readonly string[]): ChildLine {
	const parsed = parse(args);
	const [agent, message, ...more] = parsed?.positionals ?? [];
	if (parsed === undefined || agent === undefined || !isAgentId(agent) || more.length > 0) return OTHER;
	return { is: "resume", agent, message, values: parsed.values };
}

/**
 * `-m shell run "task"` → `run -m shell "task"`: the command's word first, when only options of a run stand before it.
 * Whatever else stands there is left as it is, for whoever says what is wrong with it.
 */
export function withWordFirst(args: readonly string[]): string[] {
	if (!args.some(isDashed)) return [...args];
	const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
	const at = tokens.findIndex(({ kind }) => kind !== "option");
	const word = tokens[at];
	if (word?.kind !== "positional" || !isCommandWord(word.value)) return [...args];
	const isOfRun = tokens.slice(0, at).every((token) => token.kind === "option" && Object.hasOwn(OPTIONS, token.name));
	if (!isOfRun) return [...args];
	return [word.value, ...args.slice(0, word.index), ...args.slice(word.index + 1)];
}

const OPTIONS = Object.fromEntries(
	RUN_OPTIONS.map(({ flag, short, value }) => [
		flag,
		{
			type: value === undefined ? ("boolean" as const) : ("string" as const),
			...defined({ short }),
		},
	]),
);

function parse(args: readonly string[]): { positionals: string[]; values: OptionValues } | undefined {
	if (!args.some(isDashed)) return { positionals: [...args], values: {} }; // the usual line; parseArgs takes 0.5 ms to load
	try {
		return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
	} catch {
		return undefined;
	}
}

function isDashed(arg: string): boolean {
	return arg.startsWith("-");
}
