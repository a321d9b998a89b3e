import type { ModelFailure } from "../../core/model/model.ts";

/** The failure of a call that may be made again at once, in another way. */
export function immediateRetry({ is, usage, reason }: ModelFailure, how: string): ModelFailure {
	return {
		is,
		reason: `${reason}; ${how}`,
		usage,
		exitCode: 75,
		retry: { isRateLimit: false, afterMs: 0 },
	};
}
