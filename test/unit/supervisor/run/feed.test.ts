import * as v from "valibot";
import { expect, test } from "vitest";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { RunStateSchema } from "../../../../src/core/schemas/run-state.ts";
import { Feed } from "../../../../src/supervisor/run/feed.ts";
import type { ToWatcher, Watcher } from "../../../../src/wire/watcher-messages.ts";
import { joined, runOf, turnEnded, turnStarted } from "../../core/run-of.ts";

const RUN = runOf();
/** Nobody asks for what no event tells: activity-feed.test.ts. */
const FEED_DEPS = { clock: { now: () => 0, after: () => () => {} }, queue: () => [] };

function watcher(unsentBytes = 0) {
	const got: ToWatcher[] = [];
	let closes = 0;
	const connection: Watcher = {
		send: (message) => got.push(structuredClone(message)),
		close: () => {
			closes += 1;
		},
		unsentBytes,
	};
	return { connection, got, closes: () => closes };
}

const command = (text: string, block: number) => ({ kind: "command" as const, text, block });
const text = (text: string) => ({ kind: "text" as const, text });

test("a watcher gets a snapshot first, then every event after it", () => {
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	feed.event(turnStarted("1", 1));
	feed.add(connection, RUN);
	feed.event(turnEnded("1", 1));
	feed.recorded("1");
	expect(got).toEqual([
		{ say: "snapshot", state: RUN },
		{ say: "event", event: turnEnded("1", 1) },
		{ say: "recorded", agent: "1" },
	]);
});

test("a watcher from inside is told of its own branch, and of those above only what holds for that, too", () => {
	// Seen to fail: it was sent the whole run, with tasks and questions of all.
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	const ask = (agent: AgentId, question: number): RunEvent => ({
		...{ event: "question_asked", at: 2000, agent, question, what: { is: "words", text: `of ${agent}` } },
	});
	const named: RunEvent = { event: "run_named", at: 1000, name: "secret plan" };
	const joins = ["1", "1.1", "1.2", "1.1.1"].map((agent) => joined(agent));
	feed.add(connection, runOf(named, ...joins, ask("1.1.1", 1), ask("1.2", 2), ask("1", 3)), {
		activity: true,
		by: "1.1",
	});
	const paused: RunEvent = { event: "agent_paused", at: 2000, agent: "1", from: null };
	const stopping: RunEvent = { event: "run_stopping", at: 2000, reason: "Ctrl-C" };
	const outside = [ask("1.2", 4), ask("1", 5), turnStarted("1", 1), joined("1.3"), named];
	const inside = [ask("1.1", 6), turnStarted("1.1.1", 1), paused, stopping];
	for (const event of [...outside, ...inside]) feed.event(event);
	for (const agent of ["1", "1.2", "1.1.1"]) feed.recorded(agent);
	const [snapshot, ...later] = got;
	expect(later).toEqual([...inside.map((event) => ({ say: "event", event })), { say: "recorded", agent: "1.1.1" }]);
	expect(snapshot).toMatchObject({ say: "snapshot", within: "1.1", state: { task: "task of 1.1" } });
	if (snapshot?.say !== "snapshot") throw new Error("no snapshot");
	expect(Object.keys(snapshot.state.agents)).toEqual(["1", "1.1", "1.1.1"]);
	expect(v.is(RunStateSchema, snapshot.state)).toBe(true);
	expect(JSON.stringify(snapshot)).not.toMatch(/secret|task of 1"|of 1\.2|"of 1"|"count"/);
});

test("pieces of an answer go to those alone who have that agent in focus", () => {
	const feed = new Feed(FEED_DEPS);
	const [looks, looksElsewhere, looksNowhere] = [watcher(), watcher(), watcher()];
	for (const { connection } of [looks, looksElsewhere, looksNowhere]) feed.add(connection, RUN);
	feed.focus(looks.connection, "1.1");
	feed.focus(looksElsewhere.connection, "1.2");
	feed.event(turnStarted("1.1", 3));
	feed.delta("1.1", 3, text("hel"));
	const delta = { say: "delta", agent: "1.1", turn: 3, delta: text("hel") };
	expect(looks.got.at(-1)).toEqual(delta);
	for (const { got } of [looksElsewhere, looksNowhere]) expect(got).not.toContainEqual(delta);
});

test("a late focus replays what the turn has streamed, pieces of a block joined, then goes on without a gap", () => {
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	feed.add(connection, RUN);
	feed.event(turnStarted("1", 2));
	const pieces = [text("a"), text("b"), command("ls", 1), command("pwd", 2), command(" -P", 2), text("c")];
	for (const piece of pieces) feed.delta("1", 2, piece);
	feed.focus(connection, "1");
	feed.delta("1", 2, text("d"));
	expect(got.flatMap((message) => (message.say === "delta" ? [message.delta] : []))).toEqual([
		text("ab"),
		command("ls", 1),
		command("pwd -P", 2),
		text("c"),
		text("d"),
	]);
});

test.each([
	turnEnded("1", 1),
	{ ...turnEnded("1", 1), event: "turn_failed", reason: "cut" },
	{ event: "agent_ended", at: 1, agent: "1", ending: { by: "answer" } },
	// Seen to fail when a call that is made again went on with what had streamed of the one that broke.
	{ event: "turn_retrying", at: 1, agent: "1", turn: 1, attempt: 2, waitMs: 5, reason: "cut" },
	{ event: "turn_cancelled", at: 1, agent: "1", turn: 1 },
	turnStarted("1", 2),
] as RunEvent[])("after $event nothing of that turn is replayed", (event) => {
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	feed.add(connection, RUN);
	feed.event(turnStarted("1", 1));
	feed.delta("1", 1, text("old"));
	feed.event(event);
	feed.focus(connection, "1");
	expect(got.filter(({ say }) => say === "delta")).toEqual([]);
});

test("without focus, or when it is taken back, no pieces come", () => {
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	feed.add(connection, RUN);
	feed.event(turnStarted("1", 1));
	feed.focus(connection, "1");
	feed.focus(connection, null);
	feed.delta("1", 1, text("x"));
	expect(got.filter(({ say }) => say === "delta")).toEqual([]);
});

test("a watcher that does not read is let go, and the others see everything", () => {
	const feed = new Feed(FEED_DEPS);
	const slow = watcher(17 * 1024 * 1024);
	const quick = watcher();
	feed.add(slow.connection, RUN);
	feed.add(quick.connection, RUN);
	feed.event(turnStarted("1", 1));
	expect(slow.closes()).toBe(1);
	expect(slow.got).toHaveLength(1);
	expect(quick.got).toHaveLength(2);
	expect(quick.closes()).toBe(0);
});

test("a focus without a watch is not obeyed, and one that was removed gets nothing more", () => {
	const feed = new Feed(FEED_DEPS);
	const { connection, got } = watcher();
	feed.focus(connection, "1");
	feed.event(turnStarted("1", 1));
	feed.delta("1", 1, text("x"));
	expect(got).toEqual([]);
	feed.add(connection, RUN);
	feed.remove(connection);
	feed.event(turnEnded("1", 1));
	expect(got).toHaveLength(1);
});

test("the close of the feed closes every watcher once", () => {
	const feed = new Feed(FEED_DEPS);
	const watchers = [watcher(), watcher()];
	for (const { connection } of watchers) feed.add(connection, RUN);
	feed.close();
	feed.close();
	expect(watchers.map(({ closes }) => closes())).toEqual([1, 1]);
});
