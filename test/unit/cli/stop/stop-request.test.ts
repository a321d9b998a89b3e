import { expect, test } from "vitest";
import { type StopAnswer, StopRequest, stopProgress } from "../../../../src/cli/stop/stop-request.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { askSupervisor, type Outcome, type Supervisor } from "../../../../src/wire/run-client.ts";
import type { WatcherConnection } from "../../../../src/wire/watcher-connection.ts";
import type { FromWatcher, ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { handClock } from "../../hand-clock.ts";
import { agentJoined, runStarted } from "../../record/fabricate.ts";

const RUN = [runStarted(), agentJoined("1", 1), agentJoined("1.1", 2), agentJoined("1.2", 3)].reduce(reduce, EMPTY_RUN);
const STOPPED = { by: "stopped", reason: "agent stop", signal: 15 } as const;
const RUN_ENDED: RunEvent = { event: "run_ended", at: 9, ending: STOPPED, exitCode: 143, survivors: [7] };
const REQUEST: FromWatcher = { say: "stop_agent", agent: "1", reason: "agent stop", signal: 15, isHurry: false };

/** A stop that is asked for, of a supervisor that the test plays. */
async function asking(agent = "1") {
	const clock = handClock();
	const answers: (Outcome<StopAnswer> | "slow")[] = [];
	const sent: FromWatcher[] = [];
	const progress: string[] = [];
	const listeners = { message: (_: ToWatcher) => {}, close: () => {} };
	const connection: WatcherConnection = {
		send: (message) => void sent.push(message),
		sendLine: () => expect.unreachable(),
		onMessage: (listener) => void Object.assign(listeners, { message: listener }),
		onClose: (listener) => void Object.assign(listeners, { close: listener }),
		close: () => {},
	};
	const process = { isSuspended: false };
	const supervisor: Supervisor = {
		connect: async () => connection,
		look: () => (process.isSuspended ? "suspended" : "alive"),
		after: clock.after,
	};
	const onStopping = (ms: number, alive: readonly string[]) => void progress.push(`${ms} ${alive.join(" ")}`);
	const request = new StopRequest({ agent, isKill: false, onStopping });
	const onSlow = () => void answers.push("slow");
	void askSupervisor(supervisor, request, { onSlow }).then((outcome) => answers.push(outcome));
	await clock.pass(0);
	return {
		...{ answers, sent, progress, process, pass: clock.pass, timers: clock.timers },
		say: (message: ToWatcher) => listeners.message(message),
		close: () => listeners.close(),
	};
}

const answer = (given: StopAnswer) => ({ is: "answer", answer: given }) as const;
const noAnswer = (because: string, why: string) => ({ is: "no_answer", because, why });

test("a stop is done when the supervisor has told the end of the run and has gone, with the survivors that it names", async () => {
	const { answers, sent, say, close, pass, timers } = await asking();
	say({ say: "snapshot", state: RUN });
	say({ say: "event", event: RUN_ENDED });
	expect([sent, answers]).toEqual([[{ say: "watch" }, REQUEST], []]);
	close();
	await pass(0);
	expect([answers, timers()]).toEqual([[answer({ is: "stopped", agents: 3, survivors: [7] })], 0]);
});

test("a supervisor that goes on printing after the end of its run is not waited for", async () => {
	const { answers, say, pass } = await asking();
	say({ say: "snapshot", state: RUN });
	say({ say: "event", event: RUN_ENDED });
	await pass(2_500);
	expect(answers).toEqual([]);
	await pass(500);
	expect(answers).toEqual([answer({ is: "stopped", agents: 3, survivors: [7] })]);
});

test("a connection that ends without a word is no stop", async () => {
	// Seen to fail as it was: the end of the connection counted as the end of the run.
	const { answers, say, close, pass } = await asking();
	say({ say: "snapshot", state: RUN });
	close();
	await pass(0);
	expect(answers).toEqual([noAnswer("closed", "has closed the connection")]);
});

test("a supervisor that does not answer, or falls silent, is given up; each word of it begins the wait again", async () => {
	const first = await asking();
	await first.pass(3_500);
	expect(first.answers).toEqual(["slow"]);
	await first.pass(500);
	expect(first.answers).toEqual(["slow", noAnswer("silent", "has not replied for 4 s")]);
	const later = await asking();
	later.say({ say: "snapshot", state: RUN });
	await later.pass(9_500);
	later.say({ say: "recorded", agent: "1" });
	await later.pass(9_500);
	expect(later.answers).toEqual([]);
	await later.pass(500);
	expect(later.answers).toEqual([noAnswer("silent", "has not replied for 10 s")]);
});

test("a supervisor counts as suspended when two looks in a row find it so", async () => {
	const { answers, process, pass, say } = await asking();
	say({ say: "snapshot", state: RUN });
	process.isSuspended = true;
	await pass(500);
	process.isSuspended = false;
	await pass(500);
	process.isSuspended = true;
	await pass(500);
	expect(answers).toEqual([]);
	await pass(500);
	expect(answers).toEqual([noAnswer("suspended", "is suspended")]);
});

test("of one agent only its own stop counts, and what is below it", async () => {
	const { answers, say, pass } = await asking("1.1");
	say({ say: "snapshot", state: RUN });
	say({ say: "stopped", agent: "1.2", survivors: [] });
	say({ say: "stopped", agent: "1.1", survivors: [] });
	await pass(0);
	expect(answers).toEqual([answer({ is: "stopped", agents: 1, survivors: [] })]);
	const unknown = await asking("1.9");
	unknown.say({ say: "snapshot", state: RUN });
	await unknown.pass(0);
	expect([unknown.answers, unknown.sent]).toEqual([[answer({ is: "unknown" })], [{ say: "watch" }]]);
});

test("who is refused before it is let in has got no answer; who is let in, and may not stop it, has", async () => {
	const stranger = await asking();
	stranger.say({ say: "refused", reason: "the run's key cannot be read" });
	const agent = await asking();
	agent.say({ say: "snapshot", state: RUN });
	agent.say({ say: "refused", reason: "it is beside you" });
	await agent.pass(0);
	expect([stranger.answers, agent.answers]).toEqual([
		[{ is: "refused", isLetIn: false, reason: "the run's key cannot be read" }],
		[{ is: "refused", isLetIn: true, reason: "it is beside you" }],
	]);
});

test("while a stop goes on it is told who of the agent's branch is alive, and nothing once the run has ended", async () => {
	const { progress, say, pass } = await asking();
	await pass(500);
	say({ say: "snapshot", state: RUN });
	await pass(500);
	say({ say: "event", event: { event: "agent_ended", at: 9, agent: "1.1", ending: STOPPED } });
	await pass(500);
	say({ say: "event", event: RUN_ENDED });
	await pass(500);
	expect(progress).toEqual(["500 1 1.1 1.2", "1000 1 1.2"]);
});

function linesOf(isTerminal: boolean, times: readonly number[], alive: readonly string[] = ["1.1", "1.2"]): string[] {
	const lines: string[] = [];
	const progress = stopProgress("run R", { isTerminal, say: (line) => lines.push(line) });
	for (const ms of times) progress(ms, alive);
	return lines;
}

test("a stop that takes long tells every three seconds who is still alive", () => {
	expect(linesOf(true, [500, 1_500, 2_000, 4_500, 5_000])).toEqual([
		"agent: stopping run R for 1s; still alive: 1.1, 1.2",
		"agent: stopping run R for 4s; still alive: 1.1, 1.2",
	]);
});

test("where nobody watches, a stop within its usual time says nothing", () => {
	expect(linesOf(false, [500, 1_500, 5_500])).toEqual([]);
	expect(linesOf(false, [6_000])).toHaveLength(1);
});

test("of many agents a few are named, and of none their processes", () => {
	const many = Array.from({ length: 10 }, (_, n) => `1.${n + 1}`);
	expect(linesOf(true, [2_000], many)[0]).toMatch(/1\.7, 1\.8 and 2 more$/);
	expect(linesOf(true, [2_000], [])[0]).toMatch(
		/for 2s; all agents have ended, some of their processes are still alive$/,
	);
});
