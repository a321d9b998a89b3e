import { expect, test } from "vitest";
import { type Answer, Dialogue } from "../../../../src/cli/stop/ask-supervisor.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { WatcherConnection } from "../../../../src/wire/watcher-connection.ts";
import type { FromWatcher, ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { agentJoined, runStarted } from "../../record/fabricate.ts";

const RUN = [runStarted(), agentJoined("1", 1), agentJoined("1.1", 2), agentJoined("1.2", 3)].reduce(reduce, EMPTY_RUN);
const STOPPED = { by: "stopped", reason: "agent stop", signal: 15 } as const;
const RUN_ENDED: RunEvent = { event: "run_ended", at: 9, ending: STOPPED, exitCode: 143, survivors: [7] };
const REQUEST: FromWatcher = { say: "stop_agent", agent: "1", reason: "agent stop", signal: 15, isHurry: false };

function dialogue(agent = "1") {
	const answers: (Answer | "slow")[] = [];
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
	const request = {
		...{ socket: "/nowhere", agent, isKill: false, absentMs: 0, isAlive: () => true },
		isSuspended: () => process.isSuspended,
		onSlow: () => void answers.push("slow"),
		onStopping: (ms: number, alive: readonly string[]) => void progress.push(`${ms} ${alive.join(" ")}`),
	};
	const asked = new Dialogue(connection, request, (answer) => void answers.push(answer));
	const pass = (ms: number) => {
		for (let passed = 0; passed < ms; passed += 500) asked.look(500);
	};
	return {
		answers,
		sent,
		progress,
		process,
		pass,
		say: (message: ToWatcher) => listeners.message(message),
		close: () => listeners.close(),
	};
}

test("a stop is done when the supervisor has told the end of the run and has gone, with the survivors that it names", () => {
	const { answers, sent, say, close } = dialogue();
	say({ say: "snapshot", state: RUN });
	say({ say: "event", event: RUN_ENDED });
	expect([sent, answers]).toEqual([[{ say: "watch" }, REQUEST], []]);
	close();
	expect(answers).toEqual([{ is: "stopped", agents: 3, survivors: [7] }]);
});

test("a supervisor that goes on printing after the end of its run is not waited for", () => {
	const { answers, say, pass } = dialogue();
	say({ say: "snapshot", state: RUN });
	say({ say: "event", event: RUN_ENDED });
	pass(2_500);
	expect(answers).toEqual([]);
	pass(500);
	expect(answers).toEqual([{ is: "stopped", agents: 3, survivors: [7] }]);
});

test("a connection that ends without a word is no stop", () => {
	// Seen to fail as it was: the end of the connection counted as the end of the run.
	const { answers, say, close } = dialogue();
	say({ say: "snapshot", state: RUN });
	close();
	expect(answers).toEqual([{ is: "closed" }]);
});

test("a supervisor that does not answer, or falls silent, is given up; each word of it counts anew", () => {
	const first = dialogue();
	first.pass(3_500);
	expect(first.answers).toEqual(["slow"]);
	first.pass(500);
	expect(first.answers).toEqual(["slow", { is: "silent", why: "has said nothing for 4 s" }]);
	const later = dialogue();
	later.say({ say: "snapshot", state: RUN });
	later.pass(9_500);
	later.say({ say: "recorded", agent: "1" });
	later.pass(9_500);
	expect(later.answers).toEqual([]);
	later.pass(500);
	expect(later.answers).toEqual([{ is: "silent", why: "has said nothing for 10 s" }]);
});

test("a supervisor counts as suspended when two looks in a row find it so", () => {
	const { answers, process, pass, say } = dialogue();
	say({ say: "snapshot", state: RUN });
	process.isSuspended = true;
	pass(500);
	process.isSuspended = false;
	pass(500);
	process.isSuspended = true;
	pass(500);
	expect(answers).toEqual([]);
	pass(500);
	expect(answers).toEqual([{ is: "suspended" }]);
});

test("of one agent only its own stop counts, and what is below it", () => {
	const { answers, say } = dialogue("1.1");
	say({ say: "snapshot", state: RUN });
	say({ say: "stopped", agent: "1.2", survivors: [] });
	say({ say: "stopped", agent: "1.1", survivors: [] });
	expect(answers).toEqual([{ is: "stopped", agents: 1, survivors: [] }]);
	const unknown = dialogue("1.9");
	unknown.say({ say: "snapshot", state: RUN });
	expect([unknown.answers, unknown.sent]).toEqual([[{ is: "unknown" }], [{ say: "watch" }]]);
});

test("who is refused before it is let in has got no answer; who is let in, and may not stop it, has", () => {
	const stranger = dialogue();
	stranger.say({ say: "refused", reason: "the run's key cannot be read" });
	const agent = dialogue();
	agent.say({ say: "snapshot", state: RUN });
	agent.say({ say: "refused", reason: "it is beside you" });
	expect([stranger.answers, agent.answers]).toEqual([
		[{ is: "refused", isLetIn: false, reason: "the run's key cannot be read" }],
		[{ is: "refused", isLetIn: true, reason: "it is beside you" }],
	]);
});

test("while a stop goes on it is told who of the agent's branch is alive, and nothing once the run has ended", () => {
	const { progress, say, pass } = dialogue();
	pass(500);
	say({ say: "snapshot", state: RUN });
	pass(500);
	say({ say: "event", event: { event: "agent_ended", at: 9, agent: "1.1", ending: STOPPED } });
	pass(500);
	say({ say: "event", event: RUN_ENDED });
	pass(500);
	expect(progress).toEqual(["500 1 1.1 1.2", "1000 1 1.2"]);
});
