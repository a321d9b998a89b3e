/**
 * What is around a face: its terminal with the keys, signals, Ctrl-Z, other programs that have the terminal for a while, and the end,
 * before which the terminal is restored however it comes.
 */
import type { Timer } from "../core/clock.ts";
import { ownJob } from "../processes/foreground.ts";
import { chordOf, type Key } from "./keys/key.ts";
import { KeyReader, type KeyReaderOptions } from "./keys/key-reader.ts";
import type { Screen, ScreenOptions } from "./screen/screen.ts";
import type { TerminalOutput } from "./terminal/modes.ts";
import { type Suspendable, Suspension } from "./terminal/suspension.ts";
import { listenToSystem, SIGNALS, type Signal } from "./terminal/system-events.ts";

interface FaceShellOptions<Shown> {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly clock: Timer;
	readonly keysAre: KeyReaderOptions["keysAre"];
	readonly open: (options: ScreenOptions) => Shown;
	readonly onKey: (key: Key) => void;
	/** A key of the last read that comes behind the one that has ended the face. */
	readonly onLateKey?: (key: Key) => void;
	/** Also when the terminal is gone: that is SIGHUP. */
	readonly onSignal: (signal: Signal) => void;
	/** The face is over. The terminal is restored next. */
	readonly onClose: () => void;
}

/** What a shell asks of a screen. */
type ShellScreen = Suspendable & Pick<Screen, "answered" | "close">;

export class FaceShell<Shown extends ShellScreen, End> {
	readonly screen: Shown;
	readonly keys: KeyReader;
	/** Settles after the terminal is restored; rejects with an error of the face itself. */
	readonly ended: Promise<End>;
	readonly #options: FaceShellOptions<Shown>;
	readonly #undo: (() => void)[] = [];
	#resolve: (end: End | Promise<End>) => void = () => {};
	#reject: (error: unknown) => void = () => {};
	#suspension: Suspension;
	/** A face that is being made hears no signals: a terminal that is gone may say so while it is opened. */
	#isOpen = false;
	#isLentToProgram = false;
	#isClosed = false;

	constructor(options: FaceShellOptions<Shown>) {
		const { input, output, clock, keysAre, open } = options;
		this.#options = options;
		this.ended = new Promise((resolve, reject) => {
			this.#resolve = resolve;
			this.#reject = reject;
		});
		this.#undo.push(
			listenToSystem(options, {
				onSignal: (signal) => this.#signal(signal),
				onContinue: () => this.guard(() => this.#suspension.goOn()),
				onUncaught: () => this.#isOpen && this.guard(() => this.#close()),
			}),
		);
		this.keys = new KeyReader({
			...{ keysAre, now: clock.elapsed },
			onKey: (key) => this.#press(key),
			onAnswer: (sequence) => this.screen.answered(sequence),
		});
		try {
			this.screen = open({
				...{ input, output, clock },
				onInput: (bytes) => this.keys.read(bytes),
				onGone: () => this.#signal("SIGHUP"),
			});
		} catch (error) {
			this.#isOpen = this.#isClosed = true;
			for (const undo of this.#undo) undo();
			throw error;
		}
		this.#suspension = this.#newSuspension();
		this.#isOpen = true;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	get isLent(): boolean {
		return this.#suspension.isLent;
	}

	/** An error in `act` ends the face; the run goes on. */
	guard(act: () => void): void {
		if (this.#isClosed) return;
		try {
			act();
		} catch (error) {
			this.fail(error);
		}
	}

	fail(error: unknown): void {
		if (this.#isClosed) return;
		this.#close();
		this.#reject(error);
	}

	/** `last`: what has to be done before, with the terminal restored already. */
	end(end: End, last: () => Promise<void> = () => Promise.resolve()): void {
		if (this.#isClosed) return;
		this.#close();
		this.#resolve(last().then(() => end));
	}

	/** `act` comes every `ms` until the end. */
	every(ms: number, act: () => void): void {
		const timer = setInterval(() => this.guard(act), ms);
		this.atEnd(() => clearInterval(timer));
	}

	atEnd(act: () => void): void {
		this.#undo.push(act);
	}

	/** Gives the terminal to a program that is started now. */
	lend(): void {
		this.#isLentToProgram = true;
		this.#suspension.lend();
	}

	/** That program has ended, perhaps in the background. */
	returned(): void {
		this.#isLentToProgram = false;
		if (!this.#isClosed) this.#suspension.returned();
	}

	/** Lends the terminal to another face, which knows how to suspend itself. */
	async lendTo(use: () => Promise<void>): Promise<void> {
		if (this.isLent) return;
		this.#suspension.lend();
		this.#suspension.close();
		try {
			await use();
		} finally {
			if (!this.#isClosed) {
				this.#suspension = this.#newSuspension();
				this.#suspension.returned();
			}
		}
	}

	#newSuspension(): Suspension {
		return new Suspension(this.screen, ownJob(this.#options.env, Object.values(SIGNALS)));
	}

	#press(key: Key): void {
		if (this.#isClosed) this.#options.onLateKey?.(key);
		else if (key.is === "key" && chordOf(key) === "ctrl-z") this.guard(() => this.#suspension.suspend());
		else this.guard(() => this.#options.onKey(key));
	}

	#signal(signal: Signal): void {
		if (!this.#isOpen) return void setImmediate(() => this.#signal(signal));
		const isKey = this.#isLentToProgram && (signal === "SIGINT" || signal === "SIGQUIT"); // which was for the program
		if (!isKey) this.guard(() => this.#options.onSignal(signal));
	}

	#close(): void {
		this.#isClosed = true;
		this.keys.close();
		this.#options.onClose();
		for (const undo of this.#undo) undo();
		this.#suspension.close();
		this.screen.close();
	}
}
