import { expect, test } from "vitest";
import { LineMemory } from "../../../../src/supervisor/clients/line-memory.ts";

const MIB = 1024 * 1024;

function memory(maxBytes: number) {
	const clock = { now: 0 };
	const log: string[] = [];
	const client = (name: string) => ({ tooSlow: () => log.push(`${name} is too slow`) });
	return { memory: new LineMemory(() => clock.now, maxBytes), log, client, clock, retry: () => log.push("retry") };
}

test("short lines are free, however many there are", () => {
	const { memory: all, client, retry } = memory(MIB);
	const held = Array.from({ length: 100 }, (_, n) => all.hold(client(`${n}`), 64 * 1024, retry));
	expect(held.every(Boolean)).toBe(true);
});

test("long lines share a bound; who finds no room is told when there may be some", () => {
	const { memory: all, client, log, retry } = memory(3 * MIB);
	const [a, b] = [client("a"), client("b")];
	expect([all.hold(a, 2 * MIB, retry), all.hold(b, 2 * MIB, retry), log]).toEqual([true, false, []]);
	all.release(a);
	expect([log, all.hold(b, 2 * MIB, retry)]).toEqual([["retry"], true]);
});

test("two that hold a part each do not wait for one another: the older one goes on", () => {
	// Seen to fail without the exception for the oldest: both wait for ever.
	const { memory: all, client, retry } = memory(4 * MIB);
	const [a, b] = [client("a"), client("b")];
	all.hold(a, 2 * MIB, retry);
	all.hold(b, 2 * MIB, retry);
	expect([all.hold(b, 4 * MIB, retry), all.hold(a, 4 * MIB, retry)]).toEqual([false, true]);
});

test("who holds memory for long is too slow only while others wait for it", () => {
	const { memory: all, client, clock, log, retry } = memory(2 * MIB);
	const [slow, other] = [client("slow"), client("other")];
	all.hold(slow, 2 * MIB, retry);
	clock.now = 60_000;
	all.hurry();
	expect(log).toEqual([]);
	all.hold(other, 2 * MIB, retry);
	all.hurry();
	expect(log).toEqual(["slow is too slow"]);
});
