/**
 * Ctrl-Z, bg and fg: a process that is not in the foreground leaves the terminal alone, and takes it again when it is. Also
 * while it is stopped it ends by the signals that end it.
 */

/** What is stopped: this process, and those that were started with it. processes/foreground.ts has it. */
export interface Job {
	/** Calls `act` when somebody else wants this process to stop. Returns what ends that. */
	onStopAsked(act: () => void): () => void;
	/** Stops until it is continued. `whole`: also a shell or npm in between, which would not notice. */
	stop(whole: boolean): void;
	isInForeground(): boolean;
	/** Lets signals through that come while this process is stopped. Returns what ends that. */
	wakeForSignals(): () => void;
}

/** What has the terminal, and can do without it. */
export interface Suspendable {
	suspend(): void;
	/** Somebody else has the terminal already. */
	lose(): void;
	resume(): void;
}

/** `fg` says nothing to a process that runs in the background. The system stops none that no shell could continue. */
const LOOK_MS = 200;

export class Suspension {
	readonly #screen: Suspendable;
	readonly #job: Job;
	readonly #stopListening: () => void;
	/** A program that was started from here has the terminal. It gives it back and takes it again itself when all are stopped. */
	#isLent = false;
	#isSuspended = false;
	#stopWaking: (() => void) | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(screen: Suspendable, job: Job) {
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
		// Right after a stop SIGCONT is emitted before the timer fires.
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
