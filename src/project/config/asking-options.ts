/** Whether the agents of a run may ask a person: options of a whole run, which no agent in it changes. */
import { ASK_MODES, type AskMode } from "../../core/ask-mode.ts";
import { usageError } from "../../core/errors.ts";
import type { AskedNarrowing } from "../../core/rules/narrowing.ts";
import { faultIn, type WrittenRules } from "../../core/rules/rule.ts";
import { type Environment, given, oneOf, readSwitch } from "./given.ts";
import type { OptionRow, OptionValues } from "./option-table.ts";
import { readTime } from "./read-limits.ts";

const SKIP = "dangerously-skip-permissions";
/** They ask for what that takes away. */
const CONTRARY = ["sandbox", "allow-write", "allow-read", "deny-read", "net", "allow-host", "ask", "ask-for"];

export const ASKING_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "ask", value: "WHEN", values: ASK_MODES },
		help: `ask before commands: ${ASK_MODES.join(", ")}; edge: those a rule names, and git push and publishing`,
	},
	{
		flag: "allow",
		value: "RULE",
		isRepeatable: true,
		help: "commands that run without a question: Bash(npm run test *)",
	},
	{ flag: "ask-for", value: "RULE", isRepeatable: true, help: "commands to ask about" },
	{ flag: "deny", value: "RULE", isRepeatable: true, help: "never run matching commands" },
	{ flag: "ask-wait", help: "keep questions open until you answer: agent questions lists them, agent answer answers" },
	{ flag: "ask-timeout", value: "TIME", help: "how long a question waits for an answer (default: no limit)" },
	{ flag: SKIP, help: "no sandbox, and no questions before commands: agents can do anything you can" },
];

export interface AskingRequest {
	/** A question waits for a person to come. */
	readonly waits: boolean;
	/** So long; absent: as long as it takes. */
	readonly timeoutMs?: number;
	/** Absent: no command is asked about, unless there are rules. */
	readonly mode?: AskMode;
	/** No sandbox, and no question before a command: said by the option alone, by no variable and no file. */
	readonly skipsPermissions?: true;
	/** Of the command line. */
	readonly rules: Omit<WrittenRules, "source">;
}

/** Throws AgentreeError("usage"). */
export function readAsking(values: OptionValues, env: Environment): AskingRequest {
	const isOn = readSwitch("ask-wait", env);
	const timeout = given("ask-timeout", values, env);
	const timeoutMs = timeout && readTime(timeout);
	const rules = { allow: lines(values.allow), ask: lines(values["ask-for"]), deny: lines(values.deny) };
	const fault = faultIn(rules);
	if (fault !== undefined) throw usageError(fault);
	const skipsPermissions = readSkip(values);
	const mode = oneOf(given("ask", values, env), ASK_MODES);
	return {
		rules,
		...(skipsPermissions ? { skipsPermissions } : mode && { mode }),
		waits: values["ask-wait"] === true || isOn,
		...(timeoutMs && { timeoutMs }),
	};
}

function readSkip(values: OptionValues): true | undefined {
	if (values[SKIP] !== true) return undefined;
	const contrary = CONTRARY.find((flag) => values[flag] !== undefined);
	if (contrary === undefined) return true;
	throw usageError(
		`--${SKIP} and --${contrary} contradict each other: --${SKIP} turns off the sandbox and all questions`,
	);
}

/** The values of an option that may stand several times. */
function lines(value: OptionValues[string]): readonly string[] {
	return typeof value === "string" ? value.split("\n") : [];
}

/** What a child may be given. Throws AgentreeError("usage"). */
export function readNarrowing(values: OptionValues): AskedNarrowing | undefined {
	refuseAsking(values);
	const mode = oneOf(given("ask", values), ASK_MODES);
	const [ask, deny] = [lines(values["ask-for"]), lines(values.deny)];
	const fault = faultIn({ allow: [], ask, deny });
	if (fault !== undefined) throw usageError(fault);
	if (mode === undefined && ask.length + deny.length === 0) return undefined;
	return { ...(mode && { mode }), ...(ask.length > 0 && { ask }), ...(deny.length > 0 && { deny }) };
}

/** Throws AgentreeError("usage") when an option is given, inside a run, that would not narrow what a child may do. */
export function refuseAsking(values: OptionValues): void {
	if (values[SKIP] !== undefined) throw usageError(`--${SKIP} works only when you start a run, not inside one`);
	if (values.allow !== undefined)
		throw usageError(
			"--allow works only when you start a run: a child agent can only be restricted further (--deny, --ask-for, --ask)",
		);
	const flag = ["ask-wait", "ask-timeout"].find((name) => values[name] !== undefined);
	if (flag !== undefined) throw usageError(`--${flag} applies to the whole run: set it when you start the run`);
}
