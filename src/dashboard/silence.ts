/** The silence of a supervisor: after a while the dashboard looks whether a signal has stopped it. */
import { isRecordedSuspended } from "../processes/open-table.ts";
import type { Picture } from "./scene/scene.ts";
import type { Input } from "./update.ts";

/** How often to look, and how long the silence has to be. */
export const SILENCE_MS = 2_000;

export class Silence {
	#heardAt = 0;

	end(now: number): void {
		this.#heardAt = now;
	}

	/** Undefined when there is nothing new to tell. */
	look({ run, isLost, isSuspended: wasSuspended = false }: Picture, now: number): Input | undefined {
		if (isLost || run.pid === 0 || run.ended !== undefined) return undefined;
		if (Math.abs(now - this.#heardAt) < SILENCE_MS) return undefined; // also after the time was set back
		const isSuspended = isRecordedSuspended(run);
		return isSuspended === wasSuspended ? undefined : { is: "suspended", isSuspended };
	}
}
