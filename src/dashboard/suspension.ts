/**
 * Ctrl-Z, bg and fg: a dashboard that is not in the foreground leaves the terminal alone, and takes it again when it is. Also
 * while it is stopped it ends by the signals that end it.
 */
import { isInForeground } from "../processes/foreground.ts";
import { wakeForSignals } from "../processes/wake-for-signals.ts";
import type { DashboardOptions } from "./options.ts";
import type { Screen } from "./screen.ts";
import { SIGNALS } from "./system-events.ts";

/** What is stopped: the dashboard's own process, and those that were started with it. */
export interface Job {
	/** Calls `act` when somebody else wants this process to stop. Returns what ends that. */
	onStopAsked(act: () => void): () => void;
	/** Stops until it is told to go on. `whole`: also a shell or npm in between, which would not notice. */
	stop(whole: boolean): void;
	isInForeground(): boolean;
	/** Lets signals through that come while this process is stopped. Returns what ends that. */
	wakeForSignals(): () => void;
}

/** This process. */
export function jobOf({ env }: Pick<DashboardOptions, "env">): Job {
	const listeners = new Set<() => void>();
	return {
		onStopAsked: (act) => {
			listeners.add(act);
			process.on("SIGTSTP", act);
			return () => {
				listeners.delete(act);
				process.off("SIGTSTP", act);
			};
		},
		stop: (whole) => {
			for (const act of listeners) process.off("SIGTSTP", act); // else the system would not stop this process
			process.kill(whole ? 0 : process.pid, "SIGTSTP");
			for (const act of listeners) process.on("SIGTSTP", act);
		},
		isInForeground,
		wakeForSignals: () => wakeForSignals(Object.values(SIGNALS), env.PATH ?? ""),
	};
}

/** `fg` tells a process nothing that has gone on in the background. The system stops none that no shell could make go on. */
const LOOK_MS = 200;

export class Suspension {
	readonly #screen: Pick<Screen, "suspend" | "lose" | "resume">;
	readonly #job: Job;
	readonly #stopListening: () => void;
	/** A program that was started from here has the terminal. It gives it back and takes it again itself when all are stopped. */
	#isLent = false;
	#isSuspended = false;
	#stopWaking: (() => void) | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(screen: Pick<Screen, "suspend" | "lose" | "resume">, job: Job) {
		this.#screen = screen;
		this.#job = job;
		this.#stopListening = job.onStopAsked(() => this.suspend({ isAlone: true }));
	}

	get isLent(): boolean {
		return this.#isLent;
	}

	/** Gives the terminal to a program that is started now. */
	lend(): void {
		this.#isLent = true;
		this.#screen.suspend();
	}

	/** That program has ended, perhaps in the background. */
	returned(): void {
		this.#isLent = false;
		this.#beginToWait();
		this.#takeBack();
	}

	/** `isAlone`: the others have been stopped already, or go on. */
	suspend({ isAlone = false } = {}): void {
		if (!this.#isLent) {
			if (!this.#isSuspended) this.#screen.suspend();
			this.#beginToWait();
		}
		this.#stopWaking ??= this.#job.wakeForSignals();
		this.#job.stop(!isAlone);
	}

	/** On SIGCONT. It also comes from `bg`, and with a signal that ends a stopped process. */
	goOn(): void {
		if (this.#isLent) return this.#endWait();
		if (!this.#isSuspended) this.#screen.lose(); // stopped from outside: there was no time to give the terminal back
		this.#beginToWait();
		this.#takeBack();
	}

	close(): void {
		this.#stopListening();
		this.#endWait();
	}

	#beginToWait(): void {
		this.#isSuspended = true;
		// Right after a stop the signal to go on is told before the timer's act.
		this.#timer ??= setInterval(() => setImmediate(() => this.#isSuspended && this.#takeBack()), LOOK_MS);
	}

	#endWait(): void {
		this.#isSuspended = false;
		clearInterval(this.#timer);
		this.#timer = undefined;
		this.#stopWaking?.();
		this.#stopWaking = undefined;
	}

	#takeBack(): void {
		if (!this.#job.isInForeground()) return;
		this.#endWait();
		this.#screen.resume();
	}
}
