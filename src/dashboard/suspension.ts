/**
 * Ctrl-Z, bg and fg: a dashboard that is not in the foreground leaves the terminal alone, and takes it again when it is. Also
 * while it is stopped it ends by the signals that end it.
 */
import { isInForeground } from "../processes/foreground.ts";
import { wakeForSignals } from "../processes/wake-for-signals.ts";
import type { DashboardOptions } from "./options.ts";
import type { Screen } from "./screen.ts";
import { SIGNALS } from "./system-events.ts";

export interface Job {
	/** Stops this process until it is told to go on. */
	stop(): void;
	isInForeground(): boolean;
	/** Lets signals through that come while this process is stopped. Returns what ends that. */
	wakeForSignals(): () => void;
}

/** This process. */
export function jobOf({ env }: Pick<DashboardOptions, "env">): Job {
	return {
		// The terminal's own driver stops the whole process group, too: else a shell in between (npm) would not notice.
		stop: () => process.kill(0, "SIGTSTP"),
		isInForeground: () => isInForeground(),
		wakeForSignals: () => wakeForSignals(Object.values(SIGNALS), env.PATH ?? ""),
	};
}

/** The system stops no process whose shell could not make it go on again. */
const STOPPED_MS = 200;

export class Suspension {
	readonly #screen: Pick<Screen, "suspend" | "lose" | "resume">;
	readonly #job: Job;
	#isSuspended = false;
	#stopWaking: (() => void) | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(screen: Pick<Screen, "suspend" | "lose" | "resume">, job: Job) {
		this.#screen = screen;
		this.#job = job;
	}

	suspend(): void {
		this.#isSuspended = true;
		this.#screen.suspend();
		this.#stopWaking ??= this.#job.wakeForSignals();
		this.#job.stop();
		// After a real stop the signal to go on is told before this.
		this.#timer = setTimeout(() => setImmediate(() => this.#isSuspended && this.#takeBack()), STOPPED_MS);
	}

	/** On SIGCONT. It also comes from `bg`, and with a signal that ends a stopped process. */
	goOn(): void {
		if (!this.#isSuspended) this.#screen.lose(); // stopped from outside: there was no time to give the terminal back
		this.#isSuspended = true;
		this.#takeBack();
	}

	close(): void {
		clearTimeout(this.#timer);
		this.#stopWaking?.();
		this.#stopWaking = undefined;
	}

	#takeBack(): void {
		if (!this.#job.isInForeground()) return;
		this.#isSuspended = false;
		this.close();
		this.#screen.resume();
	}
}
