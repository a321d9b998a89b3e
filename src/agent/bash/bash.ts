/**
 * One bash tool call. The call ends when the shell has exited and the pipe has been drained for a moment, whichever process
 * still holds it; processes left running are named in the result. A timeout, a stop, or a signal that killed the shell end
 * all of the command's processes. The first cause wins. Whatever happens, there is a text for the model.
 */

import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CommandEnd, type CommandStart, commandLog } from "../../core/bash-call.ts";
import type { Timer } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { MAX_RESULT_CHARS } from "../../core/model/bash-tool.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { GRACE_MS } from "../../processes/table/end-processes.ts";
import { ifSeen } from "../../processes/table/process-table.ts";
import type { LogGate } from "../supervisor-client.ts";
import { openCommandLog } from "./command-log.ts";
import { type CommandPlace, type CommandProcesses, processesOf, signalGroup } from "./command-processes.ts";
import { createOutputKeeper, keptText, type LeftRunning, resultText } from "./output.ts";
import { closePipe, drainPipe, type Pipe, type Pipes, settle } from "./pipe.ts";
import type { Sandbox, StartedShell } from "./start-shell.ts";

interface CommandLimits {
	/** The bound on the result's text, in characters. */
	readonly maxChars: number;
	/** The cap of the log. */
	readonly maxLogBytes: number;
	/** Between SIGTERM and SIGKILL. */
	readonly graceMs: number;
}

export interface CommandSpec extends CommandPlace {
	readonly number: number;
	readonly command: string;
	readonly timeoutMs: number;
	readonly agentDirectory: string;
	readonly pipes: Pipes;
	readonly cwd: string;
	readonly sandbox: Sandbox;
	/** The soft limit of open files; absent: that of the agent. */
	readonly softFiles?: number;
	readonly limits?: Partial<CommandLimits>;
	readonly clock?: Timer;
	readonly logGate?: LogGate;
	/** In place of that of the number. */
	readonly log?: string;
	/**
	 * Gets what is printed up to the command's end, in a buffer that is reused once the promise is resolved that it gives; until then
	 * nothing more is read.
	 */
	readonly onOutput?: (chunk: Uint8Array) => Promise<unknown> | undefined;
	/** Called with an error that the model is told of, and that only a bug can bring about. */
	readonly onBug?: (error: unknown) => void;
	/** Called when the shell has started, and never before `startCommand` has returned. */
	readonly onStarted: (started: Pick<CommandStart, "pid" | "startTime">) => void;
}

export interface CommandResult {
	readonly end: CommandEnd;
	/** What the model gets. */
	readonly text: string;
	/** How much was printed, including what was not kept. */
	readonly outputBytes: number;
	readonly leftRunning: readonly LeftRunning[];
	/** Ends what it left running, with a grace; absent where that does not end with the agent's process. */
	readonly endLeft?: () => Promise<void>;
	/** The log's path below the agent's directory. Absent when nothing was run, or the file could not be written. */
	readonly log?: string;
}

const DEFAULT_COMMAND_LIMITS: CommandLimits = {
	maxChars: MAX_RESULT_CHARS,
	maxLogBytes: 64 * 1024 * 1024,
	graceMs: GRACE_MS,
};

export interface RunningBash {
	/** Never rejects. */
	readonly ended: Promise<CommandResult>;
	/** Holds the clock of the timeout, or lets it go on. */
	holdClock(isHeld: boolean): void;
	/** Ends all processes of the command, or keeps it from starting. After the command's end this does nothing. */
	stop(reason: string): void;
}

/** Starts a command. `ended` resolves to its result, even when it could not be started. */
export function startCommand(spec: CommandSpec): RunningBash {
	const interruption = new Interruption(spec.clock ?? SYSTEM_CLOCK, spec.timeoutMs);
	const ended = run(spec, interruption)
		.catch((error: Error) => {
			spec.onBug?.(error);
			return notStarted(spec, `an error in agentree: ${error.message}`);
		})
		.finally(() => {
			interruption.stopClock();
			setImmediate(() => void spec.pipes.prepare()); // after the results are sent, while the model thinks
		});
	const holdClock = (isHeld: boolean) => interruption.holdClock(isHeld);
	return { ended, holdClock, stop: (reason) => interruption.stop(reason) };
}

const MOST_ATTEMPTS = 8;

/** A place that comes or goes meanwhile keeps a sandbox from being made. Then nothing has run, and the next one has the places of then. */
async function run(spec: CommandSpec, interruption: Interruption): Promise<CommandResult> {
	for (let attempt = 1; ; attempt++) {
		const pipe = await spec.pipes.take();
		if (pipe.is === "failed") return notStarted(spec, pipe.reason);
		const { isUnmade, ...result } = await runIn(pipe, spec, interruption);
		if (!isUnmade || attempt === MOST_ATTEMPTS) return result;
	}
}

/** `isUnmade`: there is no sandbox to run it in. */
type Run = CommandResult & { readonly isUnmade?: true };

const UNSEEN = "the process table cannot be read now: wait until some of your processes have ended, then try again";

async function runIn(pipe: Pipe, spec: CommandSpec, interruption: Interruption): Promise<Run> {
	if (interruption.cause !== undefined) {
		closePipe(pipe);
		return withoutOutput(spec, interruption.cause);
	}
	const script = { directory: spec.agentDirectory, name: `command-${spec.number}.sh` };
	const shell = await spec.sandbox.start({ ...spec, script, output: pipe.writeEnd });
	if (shell.is === "failed") {
		closePipe(pipe);
		return notStarted(spec, shell.reason);
	}
	closeSync(pipe.writeEnd); // now the pipe ends when the command's processes have closed it
	const seen = ifSeen(() => processesOf(shell, spec));
	if (seen === undefined) {
		signalGroup(shell, "SIGKILL"); // a command whose processes cannot be told apart later must not run
		closeSync(pipe.readEnd);
		return notStarted(spec, UNSEEN);
	}
	return follow({ shell, processes: seen.seen, readEnd: pipe.readEnd }, spec, interruption);
}

async function follow(
	{ shell, processes, readEnd }: { shell: StartedShell; processes: CommandProcesses; readEnd: number },
	spec: CommandSpec,
	interruption: Interruption,
): Promise<Run> {
	const limits = limitsOf(spec);
	const { log = commandLog(spec.number) } = spec;
	const logPath = join(spec.agentDirectory, log);
	const file = openCommandLog(spec.agentDirectory, log, { maxBytes: limits.maxLogBytes, gate: spec.logGate });
	const keeper = createOutputKeeper();
	let isOver = false;
	const onChunk = (chunk: Uint8Array) => {
		file.write(chunk);
		if (isOver) return undefined;
		keeper.add(chunk);
		return spec.onOutput?.(chunk);
	};
	const drain = drainPipe(readEnd, onChunk, file.close);
	const tellStarted = once(() => spec.onStarted(processes.shell));
	if (shell.began === undefined) tellStarted();
	else void shell.began.then(tellStarted);
	interruption.startClock();
	const end = await endOf(shell, interruption, { processes, graceMs: limits.graceMs });
	interruption.stopClock();
	if (end.by !== "not_started") tellStarted(); // it may have begun unseen
	await settle(drain, spec.clock ?? SYSTEM_CLOCK, processes.isBusy);
	drain.release();
	const leftRunning = await processes.leftRunning();
	isOver = true;
	const kept = keeper.kept();
	if (end.by === "not_started") return { ...notStarted(spec, end.reason), isUnmade: true };
	const hasLog = file.failure === undefined;
	const refusedHosts = shell.takeRefusedHosts?.() ?? [];
	const explained = await spec.sandbox.explain?.(spec, {
		text: keptText(kept),
		hasFailed: end.by !== "exit" || end.code !== 0,
	});
	const where = { log: hasLog ? logPath : undefined, logCut: file.cut };
	const { endsLeft } = shell;
	const text = resultText({ ...limits, ...where, kept, end, leftRunning, endsLeft, refusedHosts, explained });
	const endLeft = hasEnded(shell) ? undefined : () => processes.endAll(limits.graceMs); // its sandbox waits for what is left
	const told = { end, text, outputBytes: kept.totalBytes, leftRunning };
	return { ...told, ...defined({ endLeft, log: hasLog ? log : undefined }) };
}

function once(act: () => void): () => void {
	let isDone = false;
	return () => {
		if (!isDone) act();
		isDone = true;
	};
}

function hasEnded({ child }: StartedShell): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

const MAX_EXIT_WAIT_MS = 1_000;

async function endOf(
	shell: StartedShell,
	interruption: Interruption,
	{ processes, graceMs }: { processes: CommandProcesses; graceMs: number },
): Promise<CommandEnd> {
	const end = await Promise.race([shell.exit, interruption.happened]);
	switch (end.by) {
		case "exit":
		case "not_started":
			return end;
		case "signal":
			await processes.endAll(graceMs);
			return end;
		case "timeout":
		case "stopped":
			await (end.by === "stopped" ? processes.endStopped(graceMs) : processes.endAll(graceMs));
			shell.child.kill("SIGKILL"); // for when the process table could not be read; no effect after the exit
			await Promise.race([shell.exit, sleep(MAX_EXIT_WAIT_MS, undefined, { ref: false })]);
			return end;
	}
}

function notStarted(spec: CommandSpec, reason: string): CommandResult {
	return withoutOutput(spec, { by: "not_started", reason });
}

function withoutOutput(spec: CommandSpec, end: CommandEnd): CommandResult {
	const kept = createOutputKeeper().kept();
	const text = resultText({ ...limitsOf(spec), kept, end, leftRunning: [], log: undefined });
	return { end, text, outputBytes: 0, leftRunning: [] };
}

function limitsOf(spec: CommandSpec): CommandLimits {
	return { ...DEFAULT_COMMAND_LIMITS, ...spec.limits };
}

/** What ends a command from outside: its timeout, or a stop. The first cause wins. */
export class Interruption {
	/** Undefined while there is none. */
	cause: CommandEnd | undefined;
	/** Resolves when the command is interrupted; else never. */
	readonly happened: Promise<CommandEnd>;
	private settle = (_: CommandEnd) => {};
	private readonly clock: Timer;
	private readonly timeoutMs: number;
	private leftMs: number;
	private isStarted = false;
	private isHeld = false;
	private isOver = false;
	private running: { since: number; cancel: () => void } | undefined;

	constructor(clock: Timer, timeoutMs: number) {
		this.clock = clock;
		this.timeoutMs = timeoutMs;
		this.leftMs = timeoutMs;
		this.happened = new Promise((resolve) => {
			this.settle = resolve;
		});
	}

	stop(reason: string): void {
		this.interrupt({ by: "stopped", reason });
	}

	startClock(): void {
		this.isStarted = true;
		this.setClock();
	}

	/** Child agents of a command have limits of their own: its clock stands still while they live. */
	holdClock(isHeld: boolean): void {
		this.isHeld = isHeld;
		this.setClock();
	}

	/** For good. */
	stopClock(): void {
		this.isOver = true;
		this.setClock();
	}

	private setClock(): void {
		const mayRun = this.isStarted && !this.isHeld && !this.isOver;
		if (mayRun === (this.running !== undefined)) return;
		const { clock, running, timeoutMs } = this;
		if (running === undefined) {
			const expire = () => this.interrupt({ by: "timeout", afterMs: timeoutMs });
			this.running = { since: clock.elapsed(), cancel: clock.after(Math.max(0, this.leftMs), expire) };
		} else {
			running.cancel();
			this.leftMs -= clock.elapsed() - running.since;
			this.running = undefined;
		}
	}

	private interrupt(cause: CommandEnd): void {
		this.cause ??= cause;
		this.settle(this.cause);
	}
}
