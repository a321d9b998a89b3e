import * as v from "valibot";
import { expect, test } from "vitest";
import { Feed } from "../../../../src/supervisor/run/feed.ts";
import { type ToldActivity, ToWatcherSchema, type Watcher } from "../../../../src/wire/watcher-messages.ts";
import { ended, runOf, turnEnded, turnStarted } from "../../core/run-of.ts";
import { handClock } from "../../hand-clock.ts";

const RUN = runOf();
const NOTHING: ToldActivity = { held: {}, queue: { first: [], length: 0 } };
const piece = { kind: "text" as const, text: "x" };

function open() {
	const clock = handClock(1_000);
	let queue: string[] = [];
	const feed = new Feed({ clock: { now: clock.elapsed, after: clock.after }, queue: () => queue });
	const watcher = (unsentBytes = 0) => {
		const got: ToldActivity[] = [];
		const connection: Watcher = {
			send: (message) => {
				expect(v.parse(ToWatcherSchema, structuredClone(message))).toEqual(message);
				const { say, ...activity } = message;
				if (say === "activity") got.push(activity as ToldActivity);
			},
			close: () => {},
			unsentBytes,
		};
		return { connection, got };
	};
	const watching = () => {
		const { connection, got } = watcher();
		feed.add(connection, RUN, { activity: true });
		return { connection, got };
	};
	const setQueue = (...agents: string[]) => {
		queue = agents;
		feed.event(turnStarted("1", 1));
	};
	return { clock, feed, watcher, watching, setQueue };
}

test("a newcomer is told all at once: who streams, who is held, who is queued", () => {
	const { clock, feed, watching, setQueue } = open();
	setQueue("1.7", "1.3");
	feed.delta("1.1", 2, piece);
	feed.held("1.2", true);
	expect(clock.timers()).toBe(0); // nobody listens
	expect(watching().got).toEqual([
		{ tokens: { "1.1": 1_000 }, held: { "1.2": 1_000 }, queue: { first: ["1.7", "1.3"], length: 2 } },
	]);
});

test("however many tokens come, they are told once a second, each agent with its newest", async () => {
	const { clock, feed, watching } = open();
	const { got } = watching();
	for (let at = 0; at < 20; at++) {
		feed.delta("1.1", 1, piece);
		if (at === 3) feed.streamed("1.2");
		await clock.pass(100);
	}
	expect(got).toEqual([NOTHING, { tokens: { "1.1": 1_900, "1.2": 1_300 } }, { tokens: { "1.1": 2_900 } }]);
});

test("when nothing happens nothing is told, and no timer runs", async () => {
	const { clock, feed, watching, setQueue } = open();
	const { got } = watching();
	setQueue("1.1");
	await clock.pass(1_000);
	expect(got.splice(0)).toEqual([NOTHING, { queue: { first: ["1.1"], length: 1 } }]);
	expect(clock.timers()).toBe(0);
	feed.event(turnEnded("1", 1));
	await clock.pass(5_000);
	expect([got, clock.timers()]).toEqual([[], 0]);
});

test("a call that is held is told until it is let through, and one that was held for a moment never", async () => {
	const { clock, feed, watching } = open();
	const { got } = watching();
	feed.held("1.1", true);
	feed.held("1.1", false);
	await clock.pass(1_500);
	feed.held("1.2", true);
	await clock.pass(2_000);
	feed.held("1.2", false);
	await clock.pass(2_000);
	expect(got).toEqual([NOTHING, { held: { "1.2": 2_500 } }, { held: {} }]);
});

test("of a call that is over nothing is told any more", async () => {
	const { clock, feed, watching } = open();
	const { got } = watching();
	feed.event(turnStarted("1.1", 1));
	feed.delta("1.1", 1, piece);
	feed.event(turnEnded("1.1", 1));
	feed.event(turnStarted("1.2", 1));
	feed.delta("1.2", 1, piece);
	feed.event(ended("1.2"));
	await clock.pass(3_000);
	expect(got).toEqual([NOTHING]);
	expect(watching().got).toEqual([NOTHING]);
});

test("who has not asked for it gets none, and costs no timer", async () => {
	const { clock, feed, watcher, setQueue } = open();
	const { connection, got } = watcher();
	feed.add(connection, RUN);
	feed.delta("1.1", 1, piece);
	setQueue("1.1");
	expect(clock.timers()).toBe(0);
	await clock.pass(3_000);
	expect(got).toEqual([]);
});

// Seen to fail (the newcomer keeps a queue that is over) when a newcomer was told apart from the others.
test("a newcomer in the middle of a second and those before it know the same afterwards", async () => {
	const { clock, watching, setQueue } = open();
	const first = watching();
	setQueue("1.1");
	await clock.pass(500);
	const second = watching();
	setQueue();
	await clock.pass(2_000);
	for (const { got } of [first, second]) expect(got.at(-1)).toEqual({ queue: { first: [], length: 0 } });
});

test("after the last listener has gone nothing runs, and a new one is told nothing twice", async () => {
	const { clock, feed, watching } = open();
	const { connection } = watching();
	feed.delta("1.1", 1, piece);
	feed.remove(connection);
	expect(clock.timers()).toBe(0);
	const next = watching();
	await clock.pass(3_000);
	expect(next.got).toEqual([{ tokens: { "1.1": 1_000 }, ...NOTHING }]);
});

test("one that does not read is let go, and the others are told", async () => {
	const { clock, feed, watcher, watching } = open();
	const { got } = watching();
	const slow = watcher(17 * 1024 * 1024);
	feed.add(slow.connection, RUN, { activity: true });
	feed.delta("1.1", 1, piece);
	await clock.pass(1_000);
	expect([slow.got, got]).toEqual([[], [NOTHING, { tokens: { "1.1": 1_000 } }]]);
});

test("a message stays small: of a long queue the first are told and how long it is, tokens go on a second later", async () => {
	const { clock, feed, watching, setQueue } = open();
	const { got } = watching();
	const many = Array.from({ length: 20_000 }, (_, n) => `1.${10_000 + n}`);
	setQueue(...many);
	for (const agent of many) feed.delta(agent, 1, piece);
	await clock.pass(1_000);
	const [, message] = got;
	expect(message?.queue).toEqual({ first: many.slice(0, 9_362), length: 20_000 });
	expect(JSON.stringify(message).length).toBeLessThan(400_000);
	await clock.pass(5_000);
	const told = got.flatMap(({ tokens }) => Object.keys(tokens ?? {}));
	expect(told.sort()).toEqual(many);
});
