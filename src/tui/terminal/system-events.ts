/** What a face hears of the system: signals, the end of its terminal, and an error that nobody catches. */

/** Signals that stop the run, with their numbers: its exit code is 128 + the number. */
export const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;
export type Signal = keyof typeof SIGNALS;

interface SystemListener {
	/** Also when the terminal is gone: that is SIGHUP. */
	onSignal(signal: Signal): void;
	/** The process goes on after it was suspended. */
	onContinue(): void;
	/** Comes before all handlers of an error that nobody catches, so what they print is seen on a restored terminal. */
	onUncaught(): void;
}

export interface Terminal {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
}

/**
 * Returns what ends the listening. SIGHUP is then still caught, and means nothing: the end of a terminal comes several times,
 * by the terminal, the system and the shell, and the second time would end a process that is just asking its run to end.
 */
export function listenToSystem({ input, output }: Terminal, listener: SystemListener): () => void {
	const undo: (() => void)[] = [];
	const listen = (emitter: NodeJS.EventEmitter, event: string, act: () => void) => {
		emitter.on(event, act);
		undo.push(() => emitter.off(event, act));
	};
	const hangUp = () => listener.onSignal("SIGHUP");
	for (const signal of Object.keys(SIGNALS) as Signal[]) listen(process, signal, () => listener.onSignal(signal));
	listen(process, "SIGCONT", () => listener.onContinue());
	listen(process, "uncaughtExceptionMonitor", () => listener.onUncaught());
	for (const stream of [input, output]) {
		listen(stream, "close", hangUp);
		// This listener is never removed: writing to a terminal that is gone fails also after the close.
		stream.on("error", hangUp);
	}
	listen(input, "end", hangUp);
	return () => {
		if (!process.listeners("SIGHUP").includes(meansNothing)) process.on("SIGHUP", meansNothing); // first: it may come at any moment
		for (const act of undo) act();
	};
}

function meansNothing(): void {}

/** Signals that come before there is who hears them: they would end this process, and nobody would end what it has just started. */

export class HeldSignals {
	readonly #undo: (() => void)[] = [];
	#first: Signal | undefined;

	/** From now on the first one is held. A second one ends the process: whoever sends it does not want to wait. */
	hold(): this {
		for (const signal of Object.keys(SIGNALS) as Signal[]) {
			const hear = () => {
				if (signal !== "SIGHUP") this.#stopListening(); // the end of a terminal comes several times
				this.#first ??= signal;
			};
			process.on(signal, hear);
			this.#undo.push(() => process.off(signal, hear));
		}
		return this;
	}

	/** Emits the one that was held to those who listen now. */
	release(): void {
		this.#stopListening();
		if (this.#first !== undefined) process.emit(this.#first, this.#first);
		this.#first = undefined;
	}

	#stopListening(): void {
		for (const act of this.#undo.splice(0)) act();
	}
}
