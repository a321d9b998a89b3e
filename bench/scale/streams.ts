/** Many calls that stream at once: how long the supervisor's loop stands still at most, and what it computes meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { withCrowd } from "../gate/measure.ts";

/** An answer takes twice as long together. */
const BEGIN_MS = 4_000;
const MEASURED_MS = 6_000;

/** The most that it computes at once: as all calls begin, while all of them stream, and as all end. */
export interface StreamsFigures {
	readonly calls: number;
	readonly beginMs: number;
	readonly stallMs: number;
	readonly endMs: number;
	/** Of the time. */
	readonly cpuPercent: number;
}

/** `service`: its address. */
export function measureStreams(calls: number, service: string, program: string): Promise<StreamsFigures> {
	return withCrowd(
		{ slots: calls + 1, alive: calls, table: "stub", hasBudget: false, service },
		program,
		async (crowd) => {
			const root = await crowd.startRoot();
			await crowd.join(calls);
			const thinking = crowd.think();
			await sleep(BEGIN_MS);
			const before = await crowd.usage(); // the stall counts from here
			await sleep(MEASURED_MS);
			const after = await crowd.usage();
			await thinking;
			const { stallMs: ofEndMs } = await crowd.usage();
			root.leave();
			crowd.leave();
			const cpuPercent = (100 * (after.cpuMs - before.cpuMs)) / MEASURED_MS;
			return { calls, beginMs: before.stallMs, stallMs: after.stallMs, endMs: ofEndMs, cpuPercent };
		},
	);
}
