/** What is said below the prompt for a while. */
import type { Timer } from "../../core/clock.ts";

export class Hint {
	readonly #clock: Timer;
	readonly #onChange: () => void;
	#text = "";
	#callOff = () => {};

	constructor(clock: Timer, onChange: () => void) {
		this.#clock = clock;
		this.#onChange = onChange;
	}

	/** Empty: nothing. */
	get text(): string {
		return this.#text;
	}

	say(text: string, forMs: number): void {
		this.#callOff();
		this.#text = text;
		this.#callOff = this.#clock.after(forMs, () => this.clear());
		this.#onChange();
	}

	clear(): void {
		this.#callOff();
		if (this.#text === "") return;
		this.#text = "";
		this.#onChange();
	}
}
