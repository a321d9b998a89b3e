/** What can end a call from our side: a stop, or a silence that is too long. The first cause wins. */
export interface CallBounds {
	/** Aborted when the call is to end. */
	readonly signal: AbortSignal;
	readonly brokenBy: "stop" | "silence" | undefined;
	/** Something came: the silence begins anew. */
	heard(): void;
	/** All has come: the stream's own end is waited for a moment only, for the sake of its connection. */
	heardAll(): void;
	stop(): void;
	/** To be called when the call is over: nothing of it is left behind. */
	release(): void;
}

const STREAM_END_MS = 1_000;
/**
 * A silence is so many steps with nothing heard. A process that was suspended finds one step over when it goes on, and
 * what came meanwhile still to be read; one long timer would be over, too, and be read first.
 */
const STEPS = 10;

export function boundCall(stopped: AbortSignal, maxSilenceMs: number): CallBounds {
	const controller = new AbortController();
	let brokenBy: CallBounds["brokenBy"];
	const breakBy = (cause: "stop" | "silence") => {
		brokenBy ??= cause;
		controller.abort();
	};
	const stop = () => breakBy("stop");
	const silence = () => breakBy("silence");
	let steps = 0;
	let timer: NodeJS.Timeout = setInterval(() => {
		steps += 1;
		if (steps === STEPS) silence();
	}, maxSilenceMs / STEPS);
	stopped.addEventListener("abort", stop, { once: true });
	if (stopped.aborted) stop();
	return {
		signal: controller.signal,
		get brokenBy() {
			return brokenBy;
		},
		heard: () => {
			steps = 0;
			timer.refresh();
		},
		heardAll: () => {
			clearInterval(timer);
			timer = setTimeout(silence, Math.min(maxSilenceMs, STREAM_END_MS));
		},
		stop,
		release: () => {
			clearInterval(timer);
			stopped.removeEventListener("abort", stop);
		},
	};
}
