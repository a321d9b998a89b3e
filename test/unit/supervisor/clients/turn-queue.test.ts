import { expect, test } from "vitest";
import { TurnQueue } from "../../../../src/supervisor/clients/turn-queue.ts";

/** A queue whose rounds are taken by hand. */
function queue() {
	const clock = { now: 0 };
	const rounds: (() => void)[] = [];
	const log: string[] = [];
	const turns = new TurnQueue(
		() => clock.now,
		(then) => void rounds.push(then),
	);
	const client = (name: string, times: number, ms = 1) => ({
		takeTurn: () => {
			log.push(name);
			clock.now += ms;
			times -= 1;
			return times > 0;
		},
	});
	return { turns, rounds, log, client };
}

test("who comes alone is read at once, and who has much to say stands behind all others after each turn", () => {
	const { turns, rounds, log, client } = queue();
	turns.add(client("flood", 4));
	expect(log).toEqual(["flood"]);
	turns.add(client("a", 1));
	turns.add(client("b", 2));
	expect(log).toEqual(["flood", "flood", "a", "flood", "b"]);
	for (const round of rounds) round();
	expect(log.slice(5)).toEqual(["flood", "b"]);
	expect(rounds).toHaveLength(2);
});

test("a turn of the event loop has no more than its time, and the next one goes on where it was", () => {
	const { turns, rounds, log, client } = queue();
	for (const name of ["a", "b", "c", "d"]) turns.add(client(name, 1, 6));
	expect(log).toEqual(["a", "b"]);
	rounds[0]?.();
	expect(log).toEqual(["a", "b", "c", "d"]);
});

test("a client that was closed by another one's turn has none, and one that comes meanwhile waits", () => {
	const { turns, rounds, log, client } = queue();
	const closed = client("closed", 1);
	const closing = { takeTurn: () => Boolean(turns.remove(closed)) };
	turns.add({
		takeTurn: () => {
			turns.add(closing);
			turns.add(closed);
			return false;
		},
	});
	expect(log).toEqual([]);
	rounds[0]?.();
	expect(log).toEqual([]);
});
