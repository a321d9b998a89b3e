import type { Model, ModelCall, ModelOutcome, ModelRequest } from "../../core/model/model.ts";

/** What ends a call from our side: a stop, a service that is silent for too long, or an answer that never ends. The first cause wins. */
export interface CallBounds {
	/** Aborted when the call is to end. */
	readonly signal: AbortSignal;
	readonly brokenBy: BrokenBy | undefined;
	/** To be called when something came: the silence begins anew. */
	heard(): void;
	/**
	 * To be called when the whole answer has come. Its stream gets a moment to end, so that its connection is used again, or
	 * as long as it may take for what comes after the answer.
	 */
	heardAll(withinMs?: number): void;
	stop(): void;
	/** To be called when the call is over: nothing of it is left behind. */
	release(): void;
}

export type BrokenBy = "stop" | "silence" | "drip";

const STREAM_END_MS = 1_000;
/**
 * A silence is counted in steps, so that a process that was suspended does not take that time for one. When it goes on, one
 * step is over, and then it reads what has come meanwhile. One long timer would be over, too, and would fire before that.
 */
const STEPS = 10;
/** The longest answer, in longest silences: an hour with the default of 90 s. A service may send a letter a minute forever. */
const MAX_SILENCES = 40;

export function boundCall(stopped: AbortSignal, maxSilenceMs: number): CallBounds {
	const controller = new AbortController();
	let brokenBy: CallBounds["brokenBy"];
	const breakBy = (cause: BrokenBy) => {
		brokenBy ??= cause;
		controller.abort();
	};
	const stop = () => breakBy("stop");
	const silence = () => breakBy("silence");
	let silences = 0;
	const drip = setInterval(() => {
		silences += 1;
		if (silences === MAX_SILENCES) breakBy("drip");
	}, maxSilenceMs);
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
		heardAll: (withinMs = STREAM_END_MS) => {
			clearInterval(timer);
			timer = setTimeout(silence, Math.min(maxSilenceMs, withinMs));
		},
		stop,
		release: () => {
			clearInterval(timer);
			clearInterval(drip);
			stopped.removeEventListener("abort", stop);
		},
	};
}

/** A model of a service: each call has bounds, and closing the model ends the calls under way. */

export interface BoundedCall {
	readonly request: ModelRequest;
	readonly call: ModelCall;
	readonly bounds: CallBounds;
}

/** `service`: as in Model. `maxSilenceMs`: how long to wait for an answer's first event, and for each next one. */
export function boundedModel(
	{ name, service, maxSilenceMs }: { name: string; service: string; maxSilenceMs: number },
	ask: (call: BoundedCall) => Promise<ModelOutcome>,
): Model {
	const open = new Set<CallBounds>();
	return {
		name,
		service,
		ask: async (request, call) => {
			const bounds = boundCall(call.signal, maxSilenceMs);
			open.add(bounds);
			try {
				return await ask({ request, call, bounds });
			} finally {
				bounds.release();
				open.delete(bounds);
			}
		},
		// Connections of calls under way hold the process; idle ones do not, Node's fetch sees to that.
		close: () => {
			for (const bounds of open) bounds.stop();
		},
	};
}
