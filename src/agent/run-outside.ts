/**
 * `agent ask --run`: a command that is to leave the sandbox of its agent. The supervisor asks a person, and has it run. What it prints
 * comes through a pipe and goes to stdout as it comes; its exit status is that of this process. It is ended when this process ends.
 */
import { constants, openSync } from "node:fs";
import { constants as system } from "node:os";
import { resolve } from "node:path";
import type { CommandEnd } from "../core/command.ts";
import { defined } from "../core/defined.ts";
import type { SupervisorAddress } from "../core/run/cookie.ts";
import { saidNo } from "../core/run/questions.ts";
import { workingDirectory } from "../project/config/working-directory.ts";
import { CANNOT_WRITE, cannotWrite, complain, type Printed, printBytes } from "../terminal/print.ts";
import type { FromWatcher, ToWatcher } from "../wire/watcher-messages.ts";
import { type AskArgs, usage } from "./ask-args.ts";
import { askOwnSupervisor } from "./ask-supervisor.ts";
import { drainPipe } from "./bash/drain.ts";

/** Also that of a command that was not run: stderr says so. */
const NOT_RUN = 1;
const READER_GONE = 128 + system.signals.SIGPIPE;

type Ended = Extract<ToWatcher, { say: "outside_ended" }>;
type Outcome = Ended | { readonly say: "not_run"; readonly reason: string };

/** Resolves to the exit code. Throws AgentreeError. */
export async function runOutside(
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
		hears: ["asked", "answered", "unanswered", "outside_opened", "outside_ended"],
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
		throw usage('--run takes one quoted command: agent ask --run "npm publish" --why "the release is tested"');
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
