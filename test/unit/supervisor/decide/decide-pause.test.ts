/** The gate of a paused branch, its clocks, its slots, and what a hard pause keeps back. */
import { expect, test } from "vitest";
import { pauseRefusal } from "../../../../src/supervisor/decide/pauses.ts";
import { eventNames, type Scenario, startScenario, told } from "./scenario.ts";

const pause = (run: Scenario, agent: string, { isHard = false, from = null as string | null } = {}) =>
	run.dispatch({ is: "pause_asked", agent, from, isHard });
const goOn = (run: Scenario, agent: string, from: string | null = null) =>
	run.dispatch({ is: "continue_asked", agent, from });

/** The root waits for two children. */
function family(limits = {}): Scenario {
	const run = startScenario(limits);
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	return run;
}

test("no agent of a paused branch gets its next call before it goes on; the call under way ends", () => {
	const run = family();
	run.ask("1.1");
	run.ask("1.2");
	const paused = pause(run, "1.1");
	expect(eventNames(paused)).toEqual(["agent_paused 1.1"]);
	expect(paused.effects).toEqual([
		{ do: "hold_time", agent: "1.1", isHeld: true },
		{ do: "tell", agent: "1.1", message: { say: "pause", isPaused: true } },
	]);
	expect(told(run.answer("1.1"), "1.1")).toMatchObject([{ say: "answer" }]);
	expect(eventNames(run.ask("1.1"))).toEqual(["turn_queued 1.1"]);
	run.answer("1.2");
	expect(eventNames(run.ask("1.2"))).toEqual(["turn_started 1.2"]);
	const continued = goOn(run, "1.1");
	expect(eventNames(continued)).toEqual(["agent_continued 1.1", "turn_started 1.1"]);
	expect(continued.effects.slice(0, 2)).toEqual([
		{ do: "hold_time", agent: "1.1", isHeld: false },
		{ do: "tell", agent: "1.1", message: { say: "pause", isPaused: false } },
	]);
});

// Seen to fail with the slot kept: with one slot a paused agent holds the whole run.
test("a paused agent that waits for its call leaves its slot to others, and gets one back", () => {
	const run = family({ maxConcurrency: 1 });
	run.ask("1.1");
	run.ask("1.2");
	expect(run.calling()).toEqual(["1.1"]);
	pause(run, "1.1");
	run.answer("1.1");
	expect(run.calling()).toEqual(["1.2"]);
	run.ask("1.1");
	run.answer("1.2");
	expect(run.slots().active).toEqual(["1.2"]);
	run.finish("1.2");
	goOn(run, "1.1");
	expect(run.calling()).toEqual(["1.1"]);
});

test("an agent that joins a paused branch is told so, and waits", () => {
	const run = family();
	pause(run, "1");
	const { effects } = run.child("1.1");
	expect(effects).toContainEqual({ do: "hold_time", agent: "1.1.1", isHeld: true });
	expect(told({ effects }, "1.1.1")).toContainEqual({ say: "pause", isPaused: true });
	run.ask("1.1.1");
	expect(run.calling()).toEqual([]);
});

test("a hard pause freezes commands, also one that was about to start, and keeps answers back until it is over", () => {
	// Seen to fail with the answer told at once: its commands run in the pause.
	const run = family();
	run.ask("1.1");
	expect(pause(run, "1", { isHard: true }).effects).toContainEqual({ do: "freeze", agents: ["1", "1.1", "1.2"] });
	expect(told(run.answer("1.1"), "1.1")).toEqual([]);
	expect(run.command("1.2", 1).effects).toContainEqual({ do: "freeze", agents: ["1.2"] });
	const { effects } = goOn(run, "1");
	expect(effects).toContainEqual({ do: "thaw", agents: ["1", "1.1", "1.2"] });
	expect(told({ effects }, "1.1")).toMatchObject([{ say: "pause" }, { say: "answer" }]);
});

test("a soft pause becomes a hard one, and not the other way round", () => {
	const run = family();
	pause(run, "1.1");
	expect(pause(run, "1.1", { isHard: true }).effects).toEqual([{ do: "freeze", agents: ["1.1"] }]);
	expect(pause(run, "1.1")).toMatchObject({ events: [], effects: [] });
});

test("a stop lets what is frozen go on before its agents are told, with the answers that were kept back", () => {
	const run = family();
	run.ask("1.1");
	pause(run, "1.1", { isHard: true });
	run.answer("1.1");
	const { effects } = run.stop("1.1");
	expect(effects).toMatchObject([
		{ do: "thaw", agents: ["1.1"] },
		{ do: "tell", message: { say: "answer" } },
		{ do: "tell", message: { say: "stop" } },
		{ do: "end_after_grace" },
	]);
});

test("who is paused with an agent above it goes on with that, and what a person has paused no agent lets go on", () => {
	const run = family();
	pause(run, "1");
	run.finish("1.2");
	const refusal = (agent: string, from: string | null) =>
		pauseRefusal(run.state(), { is: "continue_asked", agent, from });
	expect([
		refusal("1.1", null),
		refusal("1.1", "1"),
		refusal("1.2", null),
		refusal("1.7", null),
		refusal("1", null),
	]).toEqual([
		"agent 1.1 is paused with agent 1; to continue both: agent continue 1",
		"a person paused agent 1.1, and only a person can continue it",
		"agent 1.2 has ended: answer",
		"this run has no agent 1.7; see agent ps",
		undefined,
	]);
});

test("nothing happens when nothing was paused", () => {
	const run = family();
	expect(goOn(run, "1")).toMatchObject({ events: [], effects: [] });
});
