import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { reduce } from "../../../../src/core/run/run-state.ts";
import type { Skipped } from "../../../../src/core/schemas/kept-tree.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { Kept } from "../../../../src/project/undo/saved-tree.ts";
import { FileSnapshots } from "../../../../src/supervisor/agents/file-snapshots.ts";
import { joined, STARTED, turnStarted } from "../../core/run-of.ts";
import { fakeCore } from "../fake-core.ts";

const sent = (text: string, from: string | null = null): RunEvent => ({
	event: "message_sent",
	at: 0,
	agent: "1",
	from,
	text,
});
const DELIVERED: RunEvent = { event: "message_delivered", at: 0, agent: "1", messages: 1 };

/** A tree whose keeps last `ms`, and the snapshots of it in a conversation. */
function snapshotsOf({
	ms = 100,
	skipped = [] as Skipped[],
	failure = undefined as Error | undefined,
	isConversation = true,
} = {}) {
	const done: string[] = [];
	let ids = 0;
	const after = () => new Promise<void>((resolve) => void clock.after(ms, resolve));
	const worktree = {
		top: "/project",
		warmUp: async () => {
			await after();
			done.push("warm");
		},
		keep: async (why: Kept["state"]["why"], _: AbortSignal, isWanted = () => true) => {
			await after();
			if (failure !== undefined) throw failure;
			if (!isWanted()) return { is: "not_kept", reason: "it takes too long" } as const;
			done.push(why.is === "message" ? why.text : why.is);
			const state = { id: ++ids, at: 0, why, top: "/project", tree: "", facts: "" };
			return { is: "kept", state, facts: { ignored: [], skipped, empty: [], modes: {} }, read: 1 } as unknown as Kept;
		},
	};
	const { core, clock, state, emitted: told } = fakeCore({ host: { now: () => 5_000 } });
	if (isConversation) state.run = reduce(state.run, { ...STARTED, isConversation: true } as RunEvent);
	const openTree = async () => ({ is: "open", worktree }) as const;
	const snapshots = new FileSnapshots(core, openTree, "the task");
	const happen = (...events: RunEvent[]) => {
		for (const event of events) {
			state.run = reduce(state.run, event);
			snapshots.event(event);
		}
	};
	return { snapshots, clock, done, told, happen };
}

test("what a message's commands may change is kept from when a call carries it, and they wait until that is done", async () => {
	const { snapshots, clock, done, told, happen } = snapshotsOf();
	happen(joined("1"), turnStarted("1", 1));
	const gone: string[] = [];
	expect(snapshots.waitFor(() => gone.push("1"))).toBe(true);
	await clock.pass(150);
	expect([done, gone]).toEqual([["warm"], []]);
	await clock.pass(100);
	expect([done, gone]).toEqual([["warm", "the task"], ["1"]]);
	expect(told).toEqual([{ event: "tree_kept", at: 5_000, agent: "1", id: 1, top: "/project", tookMs: 200 }]);
	expect(snapshots.waitFor(() => {})).toBe(false);
	happen(turnStarted("1", 2), sent("more"), sent("and\nmore"), sent("never mind"));
	happen({ event: "message_withdrawn", at: 0, agent: "1", text: "never mind" }, DELIVERED);
	await clock.pass(150);
	expect(done.at(-1)).toBe("more and more");
});

test("messages of agents, later turns, and runs that are no conversation keep nothing", async () => {
	const { snapshots, clock, done, happen } = snapshotsOf();
	happen(turnStarted("1", 1));
	await clock.pass(150);
	happen(sent("of 1.1", "1.1"), DELIVERED, turnStarted("1", 2));
	await clock.pass(150);
	expect(done).toEqual(["the task"]);
	const other = snapshotsOf({ isConversation: false });
	other.happen(joined("1"), turnStarted("1", 1));
	expect(other.snapshots.waitFor(() => {})).toBe(false);
	expect(snapshots.waitFor(() => {})).toBe(false);
});

test("commands wait for 10 s at most: then no state is kept, and it is said", async () => {
	const { snapshots, clock, done, told, happen } = snapshotsOf({ ms: 30_000 });
	happen(turnStarted("1", 1));
	await clock.pass(5_000);
	const gone: string[] = [];
	snapshots.waitFor(() => gone.push("1"));
	await clock.pass(9_000);
	expect(gone).toEqual([]);
	await clock.pass(1_500);
	expect(gone).toEqual(["1"]);
	await clock.pass(60_000);
	expect(done).toEqual([]);
	expect(told).toMatchObject([{ event: "tree_not_kept", agent: "1", reason: expect.stringContaining("10 s") }]);
});

test("who waits for a message's files waits 10 s for those of the next message, too", async () => {
	const { snapshots, clock, happen } = snapshotsOf({ ms: 30_000 });
	happen(turnStarted("1", 1));
	const gone: string[] = [];
	snapshots.waitFor(() => gone.push("1"));
	await clock.pass(6_000);
	happen(sent("second"), DELIVERED);
	snapshots.waitFor(() => gone.push("2"));
	await clock.pass(9_000);
	expect(gone).toEqual([]);
	await clock.pass(1_500);
	expect(gone).toEqual(["1", "2"]);
});

test("why nothing is kept is said once, and what is left out when it changes", async () => {
	const failing = snapshotsOf({ failure: new AgentreeError("not_writable", "the disk is full") });
	failing.happen(turnStarted("1", 1));
	await failing.clock.pass(150);
	failing.happen(sent("again"), DELIVERED);
	await failing.clock.pass(150);
	expect(failing.told).toEqual([{ event: "tree_not_kept", at: 5_000, agent: "1", reason: "the disk is full" }]);
	const { clock, told, happen } = snapshotsOf({ skipped: [{ path: "sub/", because: "repository" }] });
	happen(turnStarted("1", 1));
	await clock.pass(150);
	happen(sent("again"), DELIVERED);
	await clock.pass(150);
	expect(told.map((event) => "notice" in event && event.notice)).toEqual(["1 repository inside (sub/)", false]);
});

test("a message that comes while one is being kept takes its place, and who waits waits for that", async () => {
	const { snapshots, clock, done, told, happen } = snapshotsOf();
	happen(turnStarted("1", 1));
	await clock.pass(50);
	happen(sent("second"), DELIVERED);
	const gone: string[] = [];
	snapshots.waitFor(() => gone.push("1"));
	await clock.pass(100);
	expect(gone).toEqual([]);
	await clock.pass(100);
	expect([gone, done]).toEqual([["1"], ["second"]]);
	expect(told).toHaveLength(1);
});

test("at the run's end nobody waits any more, and nothing is kept", async () => {
	const { snapshots, clock, done, told, happen } = snapshotsOf();
	happen(turnStarted("1", 1));
	await clock.pass(50);
	const gone: string[] = [];
	snapshots.waitFor(() => gone.push("1"));
	const closed = snapshots.close();
	await clock.pass(150);
	await closed;
	expect(gone).toEqual(["1"]);
	happen(sent("late"), DELIVERED);
	await clock.pass(150);
	expect([done.length, told.length]).toEqual([1, 1]);
});
