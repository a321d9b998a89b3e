import { describe, expect, test } from "vitest";
import { AgentreeError } from "../../../src/core/errors.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../src/core/run/run-state.ts";
import { LivingRun, type Reached } from "../../../src/record/living-run.ts";
import type { Supervisor } from "../../../src/wire/run-client.ts";
import type { OnWelcome, WatcherConnection } from "../../../src/wire/watcher-connection.ts";
import type { FromWatcher, ToWatcher } from "../../../src/wire/watcher-messages.ts";
import { handClock } from "../hand-clock.ts";
import { agentJoined, runFile, runStarted } from "./fabricate.ts";

const RUN = [runStarted(), agentJoined("1", 1)].reduce(reduce, EMPTY_RUN);
const LATER = reduce(RUN, agentJoined("1.1", 2));
const ENDED = reduce(LATER, {
	event: "run_ended",
	...{ at: 9, ending: { by: "crashed", reason: "its supervisor died" }, exitCode: 70, survivors: [] },
});
const snapshot = (state: RunState): ToWatcher => ({ say: "snapshot", state });
const FOCUS: FromWatcher = { say: "focus", agent: "1.1" };

/** One connection of the supervisor, as the test plays it. */
class FakeConnection implements WatcherConnection {
	readonly sent: FromWatcher[] = [];
	isClosed = false;
	say: (message: ToWatcher) => void = () => {};
	drop: () => void = () => {};
	readonly welcome: OnWelcome;

	constructor(welcome: OnWelcome) {
		this.welcome = welcome;
	}

	send(message: FromWatcher): void {
		this.sent.push(message);
	}

	sendLine(): void {
		expect.unreachable();
	}

	onMessage(listener: (message: ToWatcher) => void): void {
		this.say = listener;
	}

	onClose(listener: () => void): void {
		this.drop = listener;
	}

	close(): void {
		this.isClosed = true;
	}
}

interface FakeMachine {
	isAlive: boolean;
	/** Why nobody can connect. */
	error: string | undefined;
	files: RunState | undefined;
}

function attached(first: Partial<FakeMachine> = {}) {
	const clock = handClock();
	const connections: FakeConnection[] = [];
	const heard: (ToWatcher | "closed")[] = [];
	const machine: FakeMachine = { isAlive: true, error: undefined, files: RUN, ...first };
	const supervisor: Supervisor = {
		connect: async (onWelcome = () => {}) => {
			if (machine.error !== undefined) throw Object.assign(new Error(machine.error), { code: machine.error });
			connections.push(new FakeConnection(onWelcome));
			return connections.at(-1) as FakeConnection;
		},
		look: () => (machine.isAlive ? "alive" : "dead"),
		after: clock.after,
	};
	const living = new LivingRun(supervisor, {
		snapshot: () => {
			if (machine.files === undefined) throw new AgentreeError("not_found", "run.json is gone");
			return { file: runFile(), state: machine.files, isSuspended: false, damage: [] };
		},
	});
	let reached: Reached | undefined;
	void living.open().then((found) => {
		reached = found;
	});
	return {
		...{ living, clock, connections, heard, machine },
		last: () => connections.at(-1) as FakeConnection,
		reached: () => reached,
		listen: () => {
			living.onClose(() => heard.push("closed"));
			living.onMessage((message) => heard.push(message));
		},
	};
}

/** One that has got its first snapshot, and is listened to. */
async function watching() {
	const run = attached();
	await run.clock.pass(0);
	run.last().say(snapshot(RUN));
	run.listen();
	await run.clock.pass(0);
	return run;
}

test("what the supervisor tells before the dashboard listens is kept, and the dashboard's own watch is not said twice", async () => {
	const { living, reached, heard, last } = await watching();
	living.send({ say: "watch", activity: true });
	living.send(FOCUS);
	expect({ reached: reached(), heard, sent: last().sent }).toEqual({
		...{ reached: { is: "watching" }, heard: [snapshot(RUN)] },
		sent: [{ say: "watch", activity: true }, FOCUS],
	});
});

test("a connection that ends while the supervisor lives is made anew, and what the dashboard wants is said again", async () => {
	const { living, heard, connections, last, clock } = await watching();
	living.send(FOCUS);
	last().drop();
	await clock.pass(1_000);
	expect(connections.map(({ sent }) => sent)).toEqual([
		[{ say: "watch", activity: true }, FOCUS],
		[{ say: "watch", activity: true }, FOCUS],
	]);
	last().say(snapshot(LATER));
	expect(heard).toEqual([snapshot(RUN), snapshot(LATER)]);
});

test("while a living supervisor has no socket it is tried for as long as that takes, and what is wished meanwhile is not lost", async () => {
	const { living, machine, connections, last, clock } = await watching();
	machine.error = "ENOENT";
	last().drop();
	const stop: FromWatcher = { say: "stop_agent", agent: "1", reason: "because", signal: 2, isHurry: false };
	living.send(stop);
	await clock.pass(60_000);
	expect(connections.length).toBe(1);
	machine.error = undefined;
	await clock.pass(200);
	last().say(snapshot(LATER));
	expect(last().sent).toEqual([{ say: "watch", activity: true }, stop]);
});

describe("what the dashboard asks for", () => {
	const PAUSE: FromWatcher = { say: "pause", agent: "1.1", isHard: false };
	const STOP: FromWatcher = { say: "stop_agent", agent: "1.1", reason: "because", signal: 15, isHurry: false };
	const SEND: FromWatcher = { say: "send", agent: "1.1", text: "look at the tests" };

	test("is said once, and not again on a new connection when it was answered", async () => {
		const { living, last, heard, clock } = await watching();
		for (const request of [PAUSE, STOP, SEND]) living.send(request);
		const answers: ToWatcher[] = [
			{ say: "paused", agent: "1.1", agents: 1, processes: 0 },
			{ say: "sent", agent: "1.1", arrives: "next_call" },
			{ say: "stopped", agent: "1.1", survivors: [] },
		];
		for (const answer of answers) last().say(answer);
		last().drop();
		await clock.pass(1_000);
		last().say(snapshot(LATER));
		expect([last().sent, heard]).toEqual([
			[{ say: "watch", activity: true }],
			[snapshot(RUN), ...answers, snapshot(LATER)],
		]);
	});

	test("and was not answered is asked once more, but for a message, which would come twice", async () => {
		const { living, last, heard, clock } = await watching();
		for (const request of [SEND, PAUSE, STOP]) living.send(request);
		last().drop();
		await clock.pass(1_000);
		last().say(snapshot(LATER));
		last().say({ say: "paused", agent: "1.1", agents: 1, processes: 0 });
		expect(last().sent).toEqual([{ say: "watch", activity: true }, PAUSE, STOP]);
		expect(heard.slice(1)).toEqual([
			snapshot(LATER),
			{
				say: "refused",
				reason: expect.stringMatching(
					/the connection broke; check in the transcript of 1.1 whether the message arrived/,
				),
			},
			{ say: "paused", agent: "1.1", agents: 1, processes: 0 },
		]);
	});

	test("as an interrupt or a withdrawal is not said again: it might end or take something else", async () => {
		const { living, last, heard, clock } = await watching();
		for (const say of ["interrupt", "withdraw"] as const) living.send({ say, agent: "1" });
		last().say({ say: "interrupted", agent: "1", was: "thinking" });
		last().drop();
		await clock.pass(1_000);
		last().say(snapshot(LATER));
		expect(last().sent).toEqual([{ say: "watch", activity: true }]);
		expect(heard.slice(-1)).toEqual([{ say: "refused", reason: "the connection broke; send it again if 1 continues" }]);
	});

	test("and is refused while a question beside the conversation is open is not that question", async () => {
		const { living, last, heard, clock } = await watching();
		for (const request of [{ say: "aside", agent: "1", text: "why?" } as const, SEND]) living.send(request);
		last().say({ say: "refused", reason: "agent 1.1 is over: answer" });
		last().drop();
		await clock.pass(1_000);
		last().say(snapshot(LATER));
		expect(heard.slice(2)).toEqual([
			snapshot(LATER),
			{ say: "refused", reason: "the connection broke; send it again if 1 continues" },
		]);
	});

	test("and waits for its agent by the new connection's snapshot was taken", async () => {
		const { living, last, heard, clock } = await watching();
		living.send(SEND);
		last().drop();
		await clock.pass(1_000);
		const taken = snapshot(
			reduce(LATER, { event: "message_sent", at: 3, agent: "1.1", from: null, text: "look at the tests" }),
		);
		last().say(taken);
		expect(heard.slice(1)).toEqual([taken, { say: "sent", agent: "1.1", arrives: "next_call" }]);
	});

	// Seen to fail while each refusal counted as one of the whole watcher: the connection was closed and made anew.
	test("and is refused leaves the connection as it is", async () => {
		const { living, last, heard, connections, clock } = await watching();
		living.send(PAUSE);
		last().say({ say: "refused", reason: "agent 1.1 is over: answer" });
		await clock.pass(1_000);
		expect([connections.length, last().isClosed, heard.at(-1)]).toEqual([
			...[1, false],
			{ say: "refused", reason: "agent 1.1 is over: answer" },
		]);
	});
});

test("when the supervisor is gone the files tell how the run stands", async () => {
	const { machine, heard, last, clock } = await watching();
	Object.assign(machine, { isAlive: false, error: "ECONNREFUSED", files: ENDED });
	last().drop();
	await clock.pass(1_000);
	expect(heard).toEqual([snapshot(RUN), snapshot(ENDED)]);
});

test("when the files are gone, too, the dashboard is told that the run is lost", async () => {
	const { machine, heard, last, clock } = await watching();
	Object.assign(machine, { isAlive: false, error: "ECONNREFUSED", files: undefined });
	last().drop();
	await clock.pass(1_000);
	expect(heard).toEqual([snapshot(RUN), "closed"]);
});

test("the connection of a run that has ended, and one that the dashboard closes, is not made anew", async () => {
	const ended = await watching();
	ended.last().say(snapshot(ENDED));
	const closed = await watching();
	closed.living.close();
	for (const { last, clock } of [ended, closed]) {
		last().drop();
		await clock.pass(5_000);
	}
	expect([ended.connections.length, closed.connections.length, closed.last().isClosed]).toEqual([1, 1, true]);
});

test("a supervisor that says nothing is shown by the run's files, until it speaks", async () => {
	const { reached, listen, heard, last, clock } = attached();
	await clock.pass(1_000);
	expect(reached()).toBe(undefined);
	await clock.pass(1_000);
	listen();
	expect([reached(), heard]).toEqual([{ is: "watching" }, [snapshot(RUN)]]);
	last().say(snapshot(LATER));
	expect(heard).toEqual([snapshot(RUN), snapshot(LATER)]);
});

test("a socket that is not there is waited for as long as a supervisor needs to make it again", async () => {
	const { reached, machine, last, clock } = attached({ error: "ENOENT" });
	await clock.pass(2_000);
	machine.error = undefined;
	await clock.pass(200);
	last().say(snapshot(RUN));
	await clock.pass(0);
	expect(reached()).toEqual({ is: "watching" });
});

test.each<[string, Partial<FakeMachine>, Reached]>([
	["without a socket for 2.5 s", { error: "ENOENT" }, { is: "unreachable", why: "cannot be reached (ENOENT)" }],
	["without a socket and a supervisor", { error: "ENOENT", isAlive: false }, { is: "over" }],
	[
		"with a socket that is closed to this user",
		{ error: "EACCES" },
		{ is: "refused", reason: "cannot be reached (EACCES)" },
	],
])("%s a run cannot be watched", async (_, machine, expected) => {
	const { reached, clock } = attached(machine);
	await clock.pass(3_000);
	expect(reached()).toEqual(expected);
});

test("a refusal is told with its reason, and who is inside the run is refused, whatever the supervisor shows it", async () => {
	const stranger = attached();
	await stranger.clock.pass(0);
	stranger.last().say({ say: "refused", reason: "it does not know the run's key" });
	const inside = attached();
	await inside.clock.pass(0);
	inside.last().welcome("1.2");
	inside.last().say(snapshot(RUN));
	for (const { clock, last } of [stranger, inside]) {
		await clock.pass(0);
		expect(last().isClosed).toBe(true);
	}
	expect([stranger.reached(), inside.reached()]).toEqual([
		{ is: "refused", reason: "it does not know the run's key" },
		{ is: "refused", reason: expect.stringContaining("inside a run") },
	]);
});
