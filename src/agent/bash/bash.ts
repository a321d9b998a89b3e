/**
 * One bash tool call. The call ends when the shell has exited and the pipe has been drained for a moment, whichever process
 * still holds it; processes left running are named in the result. A timeout, a stop, or a signal that killed the shell end
 * all of the command's processes. The first cause wins. Whatever happens, there is a text for the model.
 */

import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Timer } from "../../core/clock.ts";
import { type CommandEnd, commandLog } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { MAX_RESULT_CHARS } from "../../core/model/bash-tool.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { GRACE_MS } from "../../processes/table/end-processes.ts";
import { ifSeen } from "../../processes/table/process-table.ts";
import { openCommandLog } from "./command-log.ts";
import { type CommandProcesses, processesOf, signalGroup } from "./command-processes.ts";
import type { CommandLimits, CommandResult, CommandSpec } from "./command-spec.ts";
import { drainPipe, settle } from "./drain.ts";
import { createOutputKeeper, keptText, resultText } from "./output.ts";
import { closePipe, type Pipe } from "./pipe.ts";
import type { StartedShell } from "./sandbox.ts";

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

/** Starts a command. `ended` resolves to its result, also when it could not be started. */
export function startCommand(spec: CommandSpec): RunningBash {
	const control = createCommandControl(spec.clock ?? SYSTEM_CLOCK, spec.timeoutMs);
	const ended = run(spec, control)
		.catch((error: Error) => {
			spec.onBug?.(error);
			return notStarted(spec, `an error in agentree: ${error.message}`);
		})
		.finally(() => {
			control.stopClock();
			setImmediate(() => void spec.pipes.prepare()); // after the results are sent, while the model thinks
		});
	return { ended, holdClock: control.holdClock, stop: control.stop };
}

const MOST_ATTEMPTS = 8;

/** A place that comes or goes meanwhile keeps a sandbox from being made. Then nothing has run, and the next one has the places of then. */
async function run(spec: CommandSpec, control: CommandControl): Promise<CommandResult> {
	for (let attempt = 1; ; attempt++) {
		const pipe = await spec.pipes.take();
		if (pipe.is === "failed") return notStarted(spec, pipe.reason);
		const { isUnmade, ...result } = await runIn(pipe, spec, control);
		if (!isUnmade || attempt === MOST_ATTEMPTS) return result;
	}
}

/** `isUnmade`: there is no sandbox to run it in. */
type Run = CommandResult & { readonly isUnmade?: true };

const UNSEEN = "the process table cannot be read now: wait until some of your processes have ended, then try again";

async function runIn(pipe: Pipe, spec: CommandSpec, control: CommandControl): Promise<Run> {
	if (control.interruption !== undefined) {
		closePipe(pipe);
		return withoutOutput(spec, control.interruption);
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
	return follow({ shell, processes: seen.seen, readEnd: pipe.readEnd }, spec, control);
}

async function follow(
	{ shell, processes, readEnd }: { shell: StartedShell; processes: CommandProcesses; readEnd: number },
	spec: CommandSpec,
	control: CommandControl,
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
	control.startClock();
	const end = await endOf(shell, control, { processes, graceMs: limits.graceMs });
	control.stopClock();
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
	control: CommandControl,
	{ processes, graceMs }: { processes: CommandProcesses; graceMs: number },
): Promise<CommandEnd> {
	const end = await Promise.race([shell.exit, control.interrupted]);
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

/** Interrupts a command from outside: by its timeout, or by a stop. The first cause wins. */

export interface CommandControl {
	/** Resolves when the command is interrupted; else never. */
	readonly interrupted: Promise<CommandEnd>;
	readonly interruption: CommandEnd | undefined;
	stop(reason: string): void;
	/** Holds the clock or lets it go on. May be called before the clock has been started. */
	holdClock(isHeld: boolean): void;
	startClock(): void;
	stopClock(): void;
}

export function createCommandControl(clock: Timer, timeoutMs: number): CommandControl {
	let interruption: CommandEnd | undefined;
	let timeout: Timeout | undefined;
	let isClockHeld = false;
	let settle = (_end: CommandEnd) => {};
	const interrupted = new Promise<CommandEnd>((resolve) => {
		settle = resolve;
	});
	const interrupt = (end: CommandEnd) => {
		interruption ??= end;
		settle(interruption);
	};
	return {
		interrupted,
		get interruption() {
			return interruption;
		},
		stop: (reason) => interrupt({ by: "stopped", reason }),
		holdClock: (isHeld) => {
			isClockHeld = isHeld;
			timeout?.hold(isHeld);
		},
		startClock: () => {
			timeout = startTimeout(clock, timeoutMs, () => interrupt({ by: "timeout", afterMs: timeoutMs }));
			timeout.hold(isClockHeld);
		},
		stopClock: () => timeout?.stop(),
	};
}

/** A command's timeout. Its clock is held while child agents of the command live: they have limits of their own. */
interface Timeout {
	/** Holds the clock, or lets it go on with the time that was left. */
	hold(isHeld: boolean): void;
	/** Cancels the timeout for good. */
	stop(): void;
}

export function startTimeout(clock: Timer, ms: number, onExpired: () => void): Timeout {
	let leftMs = ms;
	let running: { since: number; cancel: () => void } | undefined;
	let isOver = false;
	const pause = () => {
		if (running === undefined) return;
		running.cancel();
		leftMs -= clock.elapsed() - running.since;
		running = undefined;
	};
	const resume = () => {
		if (running !== undefined || isOver) return;
		running = { since: clock.elapsed(), cancel: clock.after(Math.max(0, leftMs), onExpired) };
	};
	resume();
	return {
		hold: (isHeld) => (isHeld ? pause() : resume()),
		stop: () => {
			isOver = true;
			pause();
		},
	};
}
