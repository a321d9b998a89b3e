import { expect, test } from "vitest";
import { AttachedChats } from "../../../../src/supervisor/chat/attached-chats.ts";
import type { ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { type Scenario, startScenario } from "../decide/scenario.ts";
import { fakeCore } from "../fake-core.ts";

function conversation(isConversation: true | undefined = true) {
	const run = startScenario({}, isConversation ? { isConversation } : {});
	run.root();
	let watchers = 0;
	const { core, clock, dispatched } = fakeCore({ scenario: run, feed: { isWatched: () => watchers > 0 } });
	new AttachedChats(core);
	const after = (step: () => unknown) => {
		step();
		core.feed.onChanged();
	};
	const watched = (count: number) => after(() => (watchers = count));
	return { run, clock, asked: dispatched, after, watched };
}

function answers(run: Scenario): void {
	run.ask("1");
	run.answer("1");
	run.dispatch({ is: "listens", agent: "1" });
}

test("a conversation that nobody watches is closed a minute after its root began to listen, once", async () => {
	const { run, clock, asked, after } = conversation();
	after(() => answers(run));
	await clock.pass(59_000);
	expect(asked).toEqual([]);
	await clock.pass(2_000);
	after(() => {});
	await clock.pass(100_000);
	expect(asked).toEqual([{ is: "close_asked", agent: "1" }]);
});

test("it stays as long as somebody watches, and the minute begins anew when the last one goes", async () => {
	const { run, clock, asked, after, watched } = conversation();
	watched(1);
	after(() => answers(run));
	await clock.pass(100_000);
	watched(0);
	await clock.pass(50_000);
	watched(1);
	watched(0);
	await clock.pass(50_000);
	expect(asked).toEqual([]);
	await clock.pass(11_000);
	expect(asked).toEqual([{ is: "close_asked", agent: "1" }]);
});

test("it stays while the root works, and while an agent that it left in the background does", async () => {
	const { run, clock, asked, after } = conversation();
	after(() => answers(run));
	await clock.pass(50_000);
	after(() => run.dispatch({ is: "message", agent: "1", from: null, text: "more" }));
	await clock.pass(50_000);
	after(() => run.ask("1"));
	run.child("1");
	after(() => run.answer("1"));
	after(() => run.dispatch({ is: "listens", agent: "1" }));
	await clock.pass(100_000);
	expect(asked).toEqual([]);
	after(() => run.finish("1.1"));
	await clock.pass(61_000);
	expect(asked).toEqual([{ is: "close_asked", agent: "1" }]);
});

test("another run is not touched", async () => {
	const { run, clock, asked, after } = conversation(undefined);
	after(() => run.ask("1"));
	await clock.pass(100_000);
	expect(asked).toEqual([]);
});

function chat() {
	const heard: ToWatcher[] = [];
	return { heard, send: (message: ToWatcher) => void heard.push(message), close: () => {}, unsentBytes: 0 };
}

test("each is told how many others there are, whenever one comes or goes; who does not talk counts for nobody", () => {
	const [first, second, dashboard] = [chat(), chat(), chat()];
	const attachedChats = new AttachedChats(fakeCore().core);
	attachedChats.add(first);
	expect([attachedChats.isBeside(first), attachedChats.isBeside(dashboard)]).toEqual([false, true]);
	attachedChats.add(second);
	expect(attachedChats.isBeside(first)).toBe(true);
	attachedChats.remove(dashboard);
	attachedChats.remove(second);
	const others = (count: number) => ({ say: "talkers", others: count });
	expect([first.heard, second.heard]).toEqual([[others(0), others(1), others(0)], [others(1)]]);
	expect(attachedChats.isBeside(first)).toBe(false);
});
