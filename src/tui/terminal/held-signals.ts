/** Signals that come before there is who hears them: they would end this process, and nobody would end what it has just started. */
import { SIGNALS, type Signal } from "./system-events.ts";

export class HeldSignals {
	readonly #undo: (() => void)[] = [];
	#first: Signal | undefined;

	/** From now on the first one is held. A second one ends the process: whoever sends it does not want to wait. */
	hold(): this {
		for (const signal of Object.keys(SIGNALS) as Signal[]) {
			const hear = () => {
				if (signal !== "SIGHUP") this.#stopListening(); // the end of a terminal is told several times
				this.#first ??= signal;
			};
			process.on(signal, hear);
			this.#undo.push(() => process.off(signal, hear));
		}
		return this;
	}

	/** Tells the one that was held to those who listen now. */
	release(): void {
		this.#stopListening();
		if (this.#first !== undefined) process.emit(this.#first, this.#first);
		this.#first = undefined;
	}

	#stopListening(): void {
		for (const act of this.#undo.splice(0)) act();
	}
}
