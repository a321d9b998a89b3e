/** What agents cost a supervisor once they have ended: its memory, and the time that the next ones take. */
import { withCrowd } from "../gate/measure.ts";

const SLOTS = 64;
const AT_ONCE = 8;

export interface AgentsFigures {
	readonly ended: number;
	readonly alive: number;
	/** Of the supervisor: as the system counts it, and its heap after a collection. */
	readonly memoryMiB: number;
	readonly heapMiB: number;
	/** Computing time of the supervisor for an agent, from its join to its end, since the line before. */
	readonly agentMs: number;
}

/** `steps`: after so many ended agents it is measured; at last with so many alive, too. */
export function measureEnded(
	{ steps, alive }: { steps: readonly number[]; alive: number },
	program: string,
	onStep: (figures: AgentsFigures) => void,
): Promise<void> {
	const all = (steps.at(-1) ?? 0) + alive;
	return withCrowd({ slots: SLOTS, alive: all, table: "stub", hasBudget: false }, program, async (crowd) => {
		const root = await crowd.startRoot();
		let ended = 0;
		for (const step of steps) {
			const cpuMs = await crowd.cpuOf(async () => {
				for (; ended < step; ended += AT_ONCE) {
					await crowd.join(AT_ONCE);
					await crowd.turns(AT_ONCE);
					await crowd.end(AT_ONCE);
				}
			});
			const before = ended - (steps[steps.indexOf(step) - 1] ?? 0);
			const { memoryMiB } = await crowd.usage();
			onStep({
				ended,
				alive: 1,
				memoryMiB,
				heapMiB: await crowd.heapMiB(),
				agentMs: before === 0 ? 0 : cpuMs / before,
			});
		}
		if (alive > 0) {
			const cpuMs = await crowd.cpuOf(async () => {
				await crowd.join(alive);
				await crowd.turns(SLOTS);
			});
			const { memoryMiB } = await crowd.usage();
			onStep({ ended, alive: alive + 1, memoryMiB, heapMiB: await crowd.heapMiB(), agentMs: cpuMs / alive });
		}
		root.leave();
		crowd.leave();
	});
}
