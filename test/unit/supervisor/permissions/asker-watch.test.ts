import { expect, test } from "vitest";
import { reduce } from "../../../../src/core/run/run-state.ts";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { decide } from "../../../../src/supervisor/decide/decide.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { AskerWatch } from "../../../../src/supervisor/permissions/questioner.ts";
import { joined, runOf } from "../../core/run-of.ts";

test("an agent that asks works while its commands compute, not its own process or what waits, and is looked at while it asks", () => {
	const asked = {
		event: "question_asked",
		at: 2000,
		agent: "1",
		question: 1,
		what: { is: "words", text: "?" },
	} as const;
	const state = initialState(runOf(joined("1"), asked));
	const own = state.run.agents["1"]?.pid ?? 0;
	const timers: (() => void)[] = [];
	let cpu: Record<number, number> = {};
	const watch = new AskerWatch({
		machine: { processesOf: () => Object.entries(cpu).map(([pid, cpuMs]) => processOf(Number(pid), cpuMs)) },
		timers: { after: (_, then) => void timers.push(then) },
		dispatch: (input) => void decide(state, input, 5),
		state: () => state,
	});
	const lookAt = (now: Record<number, number>) => {
		cpu = now;
		timers.shift()?.();
		return state.working.has("1");
	};
	watch.begin();
	watch.begin();
	expect(timers).toHaveLength(1);
	expect(lookAt({ [own]: 100, 7: 5_000 })).toBe(false); // what was before, and to ask itself, counts for nothing
	expect(lookAt({ [own]: 9_000, 7: 5_020 })).toBe(false);
	expect(lookAt({ [own]: 9_000, 7: 5_020, 8: 900 })).toBe(true);
	expect(lookAt({ [own]: 9_000, 7: 5_020, 8: 900 })).toBe(false);
	decide(state, { is: "question_withdrawn", agent: "1", question: 1, reason: "over" }, 6);
	expect(lookAt({ 8: 9_000 })).toBe(false);
	expect(timers).toHaveLength(0);
	// Seen to hold the time of a run for good: one that asks another question before each look computes all the same.
	const askAgain = (question: number) => {
		state.run = reduce(state.run, { ...asked, question });
		watch.begin();
	};
	askAgain(2);
	expect(lookAt({ 8: 11_000, 9: 300 })).toBe(true);
	askAgain(3);
	expect(lookAt({ 8: 11_000, 9: 310, 10: 400 })).toBe(false);
	askAgain(4);
	expect(lookAt({ 8: 11_000, 11: 1_900 })).toBe(true);
});

function processOf(pid: number, cpuMs: number): ProcessInfo {
	return { pid, startTime: "9", parent: 1, group: pid, session: pid, state: "S", name: "make", cpuMs };
}
