/**
 * Says when nothing has come from the terminal for a time. A process that was busy meanwhile reads first what has come: what waits
 * in the system is no silence.
 */
export class SilenceTimer {
	#timer: NodeJS.Timeout | undefined;
	#afterReading: NodeJS.Immediate | undefined;

	/** Calls `act` unless it is started anew, or stopped, before. */
	start(ms: number, act: () => void): void {
		this.stop();
		this.#timer = setTimeout(() => {
			this.#afterReading = setImmediate(act);
		}, ms);
	}

	stop(): void {
		clearTimeout(this.#timer);
		clearImmediate(this.#afterReading);
	}
}
