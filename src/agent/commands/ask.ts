/**
 * `agent ask`, in a command of an agent: it asks a person, waits, and prints the answer. Nothing here ends the wait: the command's
 * clock stands still. A bundle of its own, as that of `agent todo`.
 */

import { constants, openSync } from "node:fs";
import { constants as system } from "node:os";
import { resolve } from "node:path";
import type { CommandEnd } from "../../core/bash-call.ts";
import { defined } from "../../core/defined.ts";
import { usageError } from "../../core/errors.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import { type Answer, saidNo } from "../../core/run/questions.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import { CANNOT_WRITE, cannotWrite, complain, type Printed, printBytes, printLine } from "../../terminal/print.ts";
import { stdinText } from "../../terminal/stdin.ts";
import type { FromWatcher, ToWatcher } from "../../wire/watcher-messages.ts";
import { drainPipe } from "../bash/pipe.ts";
import { askOwnSupervisor } from "./supervisor-request.ts";

const SAID_NO = 1;

interface Question {
	readonly text: string;
	readonly choices?: readonly string[];
	readonly why?: string;
}

/** `args`: behind the word `ask`. Undefined when its help is asked for, which the command line has. Throws AgentreeError. */
export async function runAsk(
	args: readonly string[],
	supervisor: Pick<SupervisorAddress, "socket" | "command">,
): Promise<number | undefined> {
	const asked = askArgs(args);
	if (asked.isHelp) return undefined;
	if (asked.run !== undefined) return runOutside({ ...asked, run: asked.run }, supervisor);
	const said = await ask(supervisor.socket, await questionOf(asked));
	if (said.is === "unanswered") {
		complain(`agent: ${said.reason}`);
		return SAID_NO;
	}
	const { answer } = said;
	switch (answer.is) {
		case "allow":
		case "always":
		case "project":
			return printLine("yes");
		case "words":
			return printLine(answer.text);
		case "no":
		case "stop":
			complain(`agent: ${saidNo(answer)}`);
			return SAID_NO;
	}
}

async function questionOf({ words, choices, why, allowWrite, allowHost }: AskArgs): Promise<Question> {
	if (allowWrite.length + allowHost.length > 0) throw usageError("--allow-write and --allow-host need --run COMMAND");
	if (words.length > 1)
		throw usageError('the question is one argument; quote it, as in agent ask "which port?" --choices 80,8080');
	const text = words[0] === undefined || words[0] === "-" ? (await stdinText()).trimEnd() : words[0];
	if (text.trim() === "") throw usageError('no question: agent ask "which port?", or pipe it in');
	return { text, ...defined({ choices: choices === undefined ? undefined : choicesOf(choices), why }) };
}

function choicesOf(value: string): string[] {
	const choices = value.split(",").map((choice) => choice.trim());
	if (choices.includes(""))
		throw usageError(`--choices ${value} has an empty choice: separate choices with single commas`);
	if (new Set(choices).size < choices.length) throw usageError(`--choices ${value} lists a choice twice`);
	return choices;
}

type Said =
	| { readonly is: "answered"; readonly answer: Answer }
	| { readonly is: "unanswered"; readonly reason: string };

function ask(socket: string, question: Question): Promise<Said> {
	return askOwnSupervisor<Said>(socket, {
		request: { say: "question", ...question },
		answerIn: (message) => {
			if (message.say === "unanswered") return { is: "unanswered", reason: message.reason };
			return message.say === "answered" ? { is: "answered", answer: message.answer } : undefined;
		},
		meaning: ": the question has no answer",
	});
}

/** The words behind `agent ask`. Throws AgentreeError("usage"). Pure. */

interface AskArgs {
	readonly words: readonly string[];
	readonly isHelp: boolean;
	readonly choices?: string;
	readonly why?: string;
	/** A command that should leave the sandbox; the directories and hosts that it needs besides stand below. */
	readonly run?: string;
	readonly allowWrite: readonly string[];
	readonly allowHost: readonly string[];
}

function askArgs(args: readonly string[]): AskArgs {
	const end = args.indexOf("--");
	const words = end < 0 ? [] : args.slice(end + 1);
	const options: { choices?: string; why?: string; run?: string } = {};
	const [allowWrite, allowHost]: [string[], string[]] = [[], []];
	let isHelp = false;
	for (let at = 0; at < (end < 0 ? args.length : end); at++) {
		const arg = args[at] ?? "";
		const [, flag, attached] = /^--(choices|why|run|allow-write|allow-host)(?:=(.*))?$/s.exec(arg) ?? [];
		if (arg === "--help" || arg === "-h") isHelp = true;
		else if (flag === undefined && /^--?[A-Za-z]/.test(arg)) throw usageError(unknownOption(arg));
		else if (flag === undefined) words.push(arg);
		else {
			const value = attached ?? args[++at];
			if (value === undefined || value.trim() === "") throw usageError(`--${flag} needs a value`);
			if (flag === "allow-write") allowWrite.push(value);
			else if (flag === "allow-host") allowHost.push(value);
			else if (flag === "run" && options.run !== undefined) throw usageError("--run was given twice");
			else options[flag as keyof typeof options] = value;
		}
	}
	return { words, isHelp, ...options, allowWrite, allowHost };
}

function unknownOption(arg: string): string {
	return `agent ask has no option ${arg}: it has --choices A,B,C, --why TEXT, and --run COMMAND with --allow-write DIR and --allow-host NAME; write -- before a question that begins like one`;
}

/**
 * `agent ask --run`: a command that is to leave the sandbox of its agent. The supervisor asks a person, and has it run. What it prints
 * comes through a pipe and goes to stdout as it comes; its exit status is that of this process. It is ended when this process ends.
 */

/** Also that of a command that was not run: stderr says so. */
const NOT_RUN = 1;
const READER_GONE = 128 + system.signals.SIGPIPE;

type Ended = Extract<ToWatcher, { say: "outside_ended" }>;
type Outcome = Ended | { readonly say: "not_run"; readonly reason: string };

/** Resolves to the exit code. Throws AgentreeError. */
async function runOutside(
	asked: AskArgs & { readonly run: string },
	{ socket, command }: Pick<SupervisorAddress, "socket" | "command">,
): Promise<number> {
	let copied: Promise<Printed> | undefined;
	let giveUp = (_: Printed) => {};
	const failed = new Promise<Printed>((settle) => {
		giveUp = settle;
	});
	const ended = askOwnSupervisor<Outcome>(socket, {
		request: requestOf(asked, command),
		answerIn: (message, say) => {
			if (message.say === "outside_opened") {
				copied = copyPipe(message.pipe);
				void copied.then((printed) => printed.is !== "written" && giveUp(printed));
				say({ say: "outside_ready" });
			}
			return outcomeIn(message);
		},
		meaning: ": the command was not run, or has been ended",
	});
	const first = await Promise.race([ended, failed]);
	if ("is" in first) return failedCopy(first);
	if (first.say === "not_run") {
		complain(`agent: ${first.reason}`);
		return NOT_RUN;
	}
	const printed = await copied;
	return printed === undefined || printed.is === "written" ? codeOf(first) : failedCopy(printed);
}

function requestOf(asked: AskArgs & { readonly run: string }, inCommand: number | undefined): FromWatcher {
	const { run: command, words, choices, why, allowWrite, allowHost } = asked;
	if (words.length > 0 || choices !== undefined)
		throw usageError('--run takes one quoted command: agent ask --run "npm publish" --why "the release is tested"');
	const directory = workingDirectory(process.cwd);
	const write = allowWrite.length === 0 ? undefined : allowWrite.map((path) => resolve(directory, path));
	const hosts = allowHost.length === 0 ? undefined : allowHost;
	return { say: "run_outside", command, directory, ...defined({ write, hosts, why, inCommand }) };
}

function outcomeIn(message: ToWatcher): Outcome | undefined {
	switch (message.say) {
		case "outside_ended":
			return message;
		case "unanswered":
			return { say: "not_run", reason: message.reason };
		case "answered": {
			const no = saidNo(message.answer);
			return no === undefined ? undefined : { say: "not_run", reason: no };
		}
	}
	return undefined;
}

/** To stdout, as fast as that takes it. Resolves at the end of the pipe, or when stdout takes no more. */
function copyPipe(path: string): Promise<Printed> {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
	return new Promise((settle) => {
		const copy = (chunk: Uint8Array) =>
			printBytes(1, chunk).then((printed) => {
				if (printed.is !== "written") settle(printed);
			});
		drainPipe(fd, copy, () => settle({ is: "written" }));
	});
}

/** This process ends, and with it the command. */
function failedCopy(printed: Printed): number {
	if (printed.is !== "failed") return READER_GONE;
	complain(cannotWrite(printed.reason));
	return CANNOT_WRITE;
}

function codeOf({ end, leftRunning }: Ended): number {
	if (leftRunning.length > 0) {
		const names = leftRunning.map(({ pid, name }) => `${pid} (${name})`).join(", ");
		complain(`agent: left running until this agent ends: ${names}`);
	}
	const words = wordsOf(end);
	if (words !== undefined) complain(`agent: ${words}`);
	return end.by === "exit"
		? end.code
		: end.by === "signal"
			? 128 + (system.signals[end.signal as NodeJS.Signals] ?? 0)
			: NOT_RUN;
}

function wordsOf(end: CommandEnd): string | undefined {
	switch (end.by) {
		case "exit":
			return undefined;
		case "signal":
			return `the command was killed by ${end.signal}`;
		case "timeout":
			return `the command timed out after ${end.afterMs / 1_000} s`;
		case "stopped":
			return `the command was ended before it was done: ${end.reason}`;
		case "not_started":
			return `the command was NOT run: ${end.reason}`;
	}
}
