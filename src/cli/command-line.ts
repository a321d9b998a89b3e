/** Runs the command that the arguments name, and gives its exit code. Commander's errors become usage errors of one line. */
import { CommanderError } from "commander";
import { withWordFirst } from "../agent/start/child-args.ts";
import { COMMANDS } from "../config/command-table.ts";
import { isCommandWord } from "../config/command-words.ts";
import { refuseOtherArguments } from "../config/not-utf8.ts";
import { refuseRef } from "../config/refuse-ref.ts";
import { AgentreeError } from "../core/errors.ts";
import { print } from "../terminal/print.ts";
import { withDashedTaskLast } from "./dashed-task.ts";
import { hasTerminal } from "./io/has-screen.ts";
import { exitCodeAfter } from "./io/process-io.ts";
import { createProgram } from "./program.ts";
import { isTalkLine } from "./talk-line.ts";
import { withWorktreeNamed } from "./with-worktree-named.ts";

export async function runCommandLine(args: readonly string[]): Promise<number> {
	refuseOtherArguments(args);
	let exitCode = 0;
	let help = "";
	const program = createProgram({
		exit: (code) => {
			exitCode = code;
		},
		writeOut: (text) => {
			help += text;
		},
	});
	const line = withDefaultCommand(withDashedTaskLast(withWorktreeNamed(withWordFirst(args))));
	try {
		await program.parseAsync(line, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode !== 0) throw usageError(error, line);
	}
	return help === "" ? exitCode : exitCodeAfter(await print(1, help), exitCode);
}

const TWO_TASKS =
	'there is a task, and "-", which is a task on stdin; to add stdin to the task: agent run --stdin "list the files"';

function usageError({ code, message }: CommanderError, line: readonly string[]): AgentreeError {
	const [word, ...rest] = line;
	if (code === "commander.help")
		return new AgentreeError("usage", `unknown command "${rest[0]}"; agent --help lists all`);
	const isStart = word === "run" || word === "tree";
	if (code === "commander.excessArguments" && isStart) refuseRef(rest.find((arg) => !arg.startsWith("-"))); // agent 1.2 show
	if (code === "commander.excessArguments" && isStart && rest.includes("-"))
		return new AgentreeError("usage", TWO_TASKS);
	const tooMany = COMMANDS.find((row) => row.word === word)?.tooMany;
	if (code === "commander.excessArguments" && tooMany !== undefined) return new AgentreeError("usage", tooMany);
	const [, most, got] = /Expected (\d+) arguments? but got (\d+)/.exec(message) ?? [];
	if (most !== undefined) {
		const takes =
			most === "0" ? "no argument" : `at most ${most} ${most === "1" ? "argument" : "arguments"}, not ${got}`;
		return new AgentreeError("usage", `agent ${word} takes ${takes}; see agent ${word} --help`);
	}
	return new AgentreeError("usage", `${oneLine(message)}; see agent ${isCommandWord(word) ? `${word} ` : ""}--help`);
}

/** Makes `agent "task"` into `agent run "task"`, and `agent` on a terminal into `agent talk`. A lone word that is no command is an error: it is taken for a mistyped command. */
function withDefaultCommand(args: readonly string[]): string[] {
	if (hasTerminal() && isTalkLine(args)) return ["talk", ...args];
	const first = args.find((arg) => !arg.startsWith("-"));
	const isHelp = args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg));
	if (first === undefined && (isHelp || (args.length === 0 && process.stdin.isTTY === true)))
		return args.length === 0 ? ["help"] : [...args];
	if (isCommandWord(args[0])) return [...args];
	if (first !== undefined && first === args[0] && isMistyped(first, args.slice(1)))
		throw new AgentreeError(
			"usage",
			`unknown command "${first}"; as a task it is: agent run "${args.join(" ")}"; see agent --help`,
		);
	return ["run", ...args];
}

/** True for a lone word, and for a word with more words behind it: a task of several words would be in quotes. */
function isMistyped(first: string, rest: readonly string[]): boolean {
	return /^[a-z][a-z-]*$/i.test(first) && !rest.some((arg) => arg.startsWith("-"));
}

function oneLine(message: string): string {
	return message
		.replace(/^error: /, "")
		.replace(/\s+/g, " ")
		.trim();
}
