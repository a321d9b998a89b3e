/** Commander's part: which command, with which options. Gives the exit code. */
import { Command, CommanderError, Option } from "commander";
import { isCommandWord, withWordFirst } from "../agent/start/child-args.ts";
import { RUN_OPTIONS } from "../config/run-options.ts";
import { AgentreeError } from "../core/errors.ts";
import { print } from "../terminal/print.ts";
import { optionHelp } from "./option-help.ts";
import { exitCodeAfter, withProcessIo } from "./process-io.ts";
import { VERSION } from "./version.ts";

const EXAMPLES = `
Examples:
  agent demo                                 watch a tree of agents, without a key
  agent tree "find and fix the failing test" the live tree; prints the answer when it closes
  agent run "summarise README.md" > out.md   headless: stdout is the answer, nothing else
  git diff | agent run "review this"         stdin is added to the task
  agent run --model shell 'agent "date"'     two real agents, no model: the task is the command
  agent resume                               go on with a run that was interrupted, or met a limit
  agent ps                                   what is alive;  agent ps -a  what has been
  agent show 1.2                             what an agent did;  agent log  what happened in the run

Inside a run, agents start child agents with  agent "task".  Exit codes: 0 answer, 1 failure, 2 usage, 3 limit,
4 not started, 70 bug, 74 stdout takes no more, 75 out of reach or resources, 77 key, 128+n signal.`;

export async function runCommandLine(args: readonly string[]): Promise<number> {
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
	const line = withDefaultCommand(withWordFirst(args));
	try {
		await program.parseAsync(line, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode !== 0) throw usageError(error, line);
	}
	return help === "" ? exitCode : exitCodeAfter(await print(1, help), exitCode);
}

function usageError({ code, message }: CommanderError, line: readonly string[]): AgentreeError {
	const [word, ...rest] = line;
	if (code === "commander.help")
		return new AgentreeError("usage", `unknown command "${rest[0]}"; agent --help lists all`);
	if (code === "commander.excessArguments" && (word === "run" || word === "tree"))
		return new AgentreeError("usage", `the task is one argument: quote it, as in agent ${word} "list the files"`);
	if (code === "commander.excessArguments" && word === "demo")
		return new AgentreeError("usage", 'agent demo has a task of its own; agent tree "list the files" is for yours');
	if (code === "commander.excessArguments" && word === "resume")
		return new AgentreeError("usage", 'the message is one argument: quote it, as in agent resume RUN "also do x"');
	const [, most, got] = /Expected (\d+) arguments? but got (\d+)/.exec(message) ?? [];
	if (most !== undefined) {
		const takes =
			most === "0" ? "no argument" : `at most ${most} ${most === "1" ? "argument" : "arguments"}, not ${got}`;
		return new AgentreeError("usage", `agent ${word} takes ${takes}; see agent ${word} --help`);
	}
	return new AgentreeError("usage", `${oneLine(message)}; see agent ${isCommandWord(word) ? `${word} ` : ""}--help`);
}

/** `agent "task"` is `agent run "task"`; a lone word that is no command is taken for a mistyped one. */
function withDefaultCommand(args: readonly string[]): string[] {
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

/** A lone word, or a word with more words behind it, which a task would have in quotes. */
function isMistyped(first: string, rest: readonly string[]): boolean {
	return /^[a-z][a-z-]*$/i.test(first) && !rest.some((arg) => arg.startsWith("-"));
}

interface CommandLineHost {
	exit: (code: number) => void;
	/** Help, and the version. */
	writeOut: (text: string) => void;
}

function createProgram({ exit, writeOut }: CommandLineHost): Command {
	const output = { writeOut, writeErr: () => {}, outputError: () => {} };
	const program = new Command("agent")
		.description('Every agent is a process with one tool, bash; it starts child agents with: agent "task"')
		.version(VERSION, "-V, --version")
		.addHelpText("after", EXAMPLES)
		.exitOverride()
		.configureOutput(output)
		.showSuggestionAfterError(true);
	addRunCommands(program, exit);
	addReadingCommands(program, exit);
	for (const command of program.commands) command.exitOverride().configureOutput(output);
	return program;
}

function addRunCommands(program: Command, exit: (code: number) => void): void {
	const run = program.command("run [task]").description("headless: stdout is the answer (task - : from stdin)");
	const tree = program.command("tree [task]").description("a live dashboard; prints the answer when it closes");
	for (const option of runOptions()) run.addOption(option);
	// It takes the format `text`, as every run does, and has no other.
	for (const option of runOptions()) tree.addOption(option.hideHelp(option.long === "--output-format"));
	run.action(async (task: string | undefined, values) => {
		const { runHeadless } = await import("./commands/run.ts");
		exit(await runHeadless(task, flagged(values)));
	});
	tree.action(async (task: string | undefined, values) => {
		const { runTree } = await import("./commands/tree.ts");
		exit(await runTree(task, flagged(values)));
	});
	const resume = program
		.command("resume [run] [message]")
		.description("go on with a run that was interrupted, or that has answered; inside a run: agent resume 1.2")
		.option("--tree", "in a live dashboard");
	for (const option of runOptions())
		if (!["--system-prompt", "--append-system-prompt"].includes(option.long ?? "")) resume.addOption(option);
	resume.action(async (ref: string | undefined, message: string | undefined, values) => {
		const { resume } = await import("./commands/resume.ts");
		exit(await resume(ref, message, flagged(values)));
	});
	program
		.command("demo")
		.description("a tree of real processes whose thinking is scripted; needs no key")
		.option("-C, --cd <DIR>", "look at this directory")
		.action(async (values) => {
			const { runDemo } = await import("./commands/demo.ts");
			exit(await runDemo(flagged(values)));
		});
	program.command("supervise", { hidden: true }).action(async () => {
		const { supervise } = await import("./commands/supervise.ts");
		exit(await supervise());
	});
}

function addReadingCommands(program: Command, exit: (code: number) => void): void {
	const json = () => new Option("--json", "for programs");
	program
		.command("ps [run]")
		.description("runs and their agents: pid, state, turns, tokens, cost, age")
		.option("-a, --all", "runs that are over, too")
		.addOption(json())
		.action(async (ref: string | undefined, values) => {
			const { ps } = await import("./commands/ps.ts");
			exit(await withProcessIo((io) => ps({ ref, all: values.all === true, json: values.json === true }, io)));
		});
	program
		.command("show [ref]")
		.description("what an agent did: RUN, RUN/1.2, or 1.2 of the newest run of this directory")
		.addOption(json())
		.option("-f, --follow", "until the agent ends")
		.action(async (ref: string | undefined, values) => {
			const { show } = await import("./commands/show.ts");
			exit(await withProcessIo((io) => show({ ref, json: values.json === true, follow: values.follow === true }, io)));
		});
	program
		.command("log [ref]")
		.description("what happened in a run, or below an agent")
		.addOption(json())
		.option("-f, --follow", "until the run ends")
		.action(async (ref: string | undefined, values) => {
			const { log } = await import("./commands/log.ts");
			exit(await withProcessIo((io) => log({ ref, json: values.json === true, follow: values.follow === true }, io)));
		});
	for (const [word, description] of [
		["stop", "ends a run, or an agent and all below it, and answers when nothing of it lives"],
		["kill", "as stop, at once: without SIGTERM and the grace"],
	] as const)
		program
			.command(`${word} [ref]`)
			.description(description)
			.action(async (ref: string | undefined) => {
				const { stop } = await import("./commands/stop.ts");
				exit(await withProcessIo((io) => stop({ ref, isKill: word === "kill" }, io)));
			});
	program
		.command("why [ref]")
		.description("why an agent ended, or has not: the chain of causes, nearest first")
		.addOption(json())
		.action(async (ref: string | undefined, values) => {
			const { why } = await import("./commands/why.ts");
			exit(await withProcessIo((io) => why({ ref, json: values.json === true }, io)));
		});
	program
		.command("doctor")
		.description("is everything here that a run needs?")
		.addOption(json())
		.action(async (values) => {
			const { doctor } = await import("./commands/doctor.ts");
			exit(await withProcessIo((io) => doctor({ json: values.json === true }, io)));
		});
}

function runOptions(): Option[] {
	return RUN_OPTIONS.map(({ flag, short, value, help }) => {
		const names = short === undefined ? `--${flag}` : `-${short}, --${flag}`;
		return new Option(value === undefined ? names : `${names} <${value}>`, optionHelp(flag, help));
	});
}

/** Commander's camelCase back to the names of the flags. */
function flagged(values: Record<string, string | boolean | undefined>): Record<string, string | boolean | undefined> {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [
			name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
			value,
		]),
	);
}

function oneLine(message: string): string {
	return message
		.replace(/^error: /, "")
		.replace(/\s+/g, " ")
		.trim();
}
