import { expect, test } from "vitest";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { decide } from "../../../../src/supervisor/decide/decide.ts";
import type { Effect, Input } from "../../../../src/supervisor/decide/inputs-and-effects.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { Questioner } from "../../../../src/supervisor/permissions/questioner.ts";
import { joined, runOf } from "../../core/run-of.ts";
import { fakeCore } from "../fake-core.ts";

function questionerOf({ waits = true, timeoutMs }: { waits?: boolean; timeoutMs?: number } = {}) {
	const state = initialState(runOf(joined("1"), joined("1.1"), joined("1.2")));
	const effects: Effect[] = [];
	const dispatch = (input: Input) => void effects.push(...decide(state, input, 5).effects);
	/** The processes of each agent, by their pids, with the milliseconds that they have computed. */
	const cpu: Record<number, number> = {};
	const processesOf = () => Object.entries(cpu).map(([pid, cpuMs]) => processOf(Number(pid), cpuMs));
	const settings = { asking: { waits, ...(timeoutMs && { timeoutMs }) } };
	const { core, clock } = fakeCore({ state, dispatch, settings, machine: { processesOf } });
	const questioner = new Questioner(core);
	const client = () => {
		const heard: unknown[] = [];
		return { heard, send: (message: unknown) => void heard.push(message) };
	};
	const ask = (agent: string, text = "a?", choices?: string[]) => {
		const asker = client();
		questioner.ask(asker, { say: "question", text, ...(choices && { choices }) }, agent);
		return asker;
	};
	return { state, effects, clock, cpu, questioner, client, ask, dispatch };
}

function processOf(pid: number, cpuMs: number): ProcessInfo {
	return { pid, startTime: "9", parent: 1, group: pid, session: pid, state: "S", name: "make", cpuMs };
}

test("who waits for a person has its clocks held, and all above it their time, until the last of its questions is answered", () => {
	const { effects, questioner, client, ask, state } = questionerOf();
	ask("1.1");
	expect(effects).toEqual([
		{ do: "hold_time", agent: "1.1", isHeld: true },
		{ do: "hold_time", agent: "1", isHeld: true },
		{ do: "tell", agent: "1.1", message: { say: "pause", isPaused: true } },
	]);
	ask("1.1", "b?");
	expect(state.run.agents["1.1"]?.asking).toEqual({ since: 5, questions: [1, 2] });
	effects.length = 0;
	questioner.answer(client(), { say: "answer", question: 1, answer: { is: "allow" } });
	expect(effects.map((effect) => "isHeld" in effect && effect.isHeld)).toEqual([true, true, false]);
	expect(effects.at(-1)).toMatchObject({ message: { isPaused: true } });
	effects.length = 0;
	questioner.answer(client(), { say: "answer", question: 2, answer: { is: "no" } });
	expect(effects).toMatchObject([{ isHeld: false }, { isHeld: false }, { message: { isPaused: false } }]);
	expect(state.run.questions).toEqual([]);
	expect(state.run.agents["1.1"]).not.toHaveProperty("asking");
});

const heldTimes = (effects: Effect[]) =>
	Object.fromEntries(
		effects.splice(0).flatMap((effect) => (effect.do === "hold_time" ? [[effect.agent, effect.isHeld]] : [])),
	);

// Seen to fail: a question that was left open in the background held the time of its agent and of all above it for as long as they worked.
test("a question holds nobody's time while the agent that asks works all the same, or another one below them", () => {
	const { effects, questioner, client, ask, state, dispatch } = questionerOf();
	ask("1.1");
	expect(heldTimes(effects)).toEqual({ "1.1": true, "1": true });
	const started = { command: 1, text: "make", pid: 9, startTime: "9", log: "out/0001.log" };
	const end = { end: { by: "exit", code: 0 }, outputBytes: 0, leftRunning: [] } as const;
	dispatch({ is: "asker_works", agent: "1.1", works: true });
	expect(heldTimes(effects)).toEqual({ "1.1": false, "1": false });
	expect(state.slots.active.has("1.1")).toBe(true);
	dispatch({ is: "asker_works", agent: "1.1", works: false });
	expect(heldTimes(effects)).toEqual({ "1.1": true, "1": true });
	expect(state.slots.active.has("1.1")).toBe(false);
	const request = { system: "", tools: [], messages: [], mayUseTools: true };
	dispatch({ is: "asked", agent: "1.2", kind: "turn", request });
	expect(heldTimes(effects)).toEqual({ "1": false });
	dispatch({ is: "finished", agent: "1.2", ending: { by: "answer" } });
	expect(heldTimes(effects)).toEqual({ "1": true });
	dispatch({ is: "asked", agent: "1.1", kind: "turn", request });
	expect(heldTimes(effects)).toEqual({ "1.1": false, "1": false });
	dispatch({ is: "command_started", agent: "1.1", ...started });
	dispatch({ is: "command_ended", agent: "1.1", command: 1, ...end });
	questioner.answer(client(), { say: "answer", question: 1, answer: { is: "allow" } });
	expect(heldTimes(effects)).toEqual({ "1.1": false, "1": false });
	expect(state.working.size).toBe(0);
});

test("an agent that asks works while its commands compute, not its own process or what waits, and is looked at while it asks", async () => {
	const { state, cpu, clock, ask, questioner } = questionerOf();
	const own = state.run.agents["1"]?.pid ?? 0;
	const lookAt = async (now: Record<number, number>) => {
		for (const pid of Object.keys(cpu)) delete cpu[Number(pid)];
		Object.assign(cpu, now);
		await clock.pass(2_000);
		return state.working.has("1");
	};
	let asker = ask("1");
	expect(await lookAt({ [own]: 100, 7: 5_000 })).toBe(false); // what was before, and to ask itself, counts for nothing
	expect(await lookAt({ [own]: 9_000, 7: 5_020 })).toBe(false);
	expect(await lookAt({ [own]: 9_000, 7: 5_020, 8: 900 })).toBe(true);
	expect(await lookAt({ [own]: 9_000, 7: 5_020, 8: 900 })).toBe(false);
	questioner.closed(asker);
	expect(await lookAt({ 8: 9_000 })).toBe(false);
	expect(clock.timers()).toBe(0);
	// Seen to hold the time of a run for good: one that asks another question before each look computes all the same.
	const askAgain = (text: string) => {
		questioner.closed(asker);
		asker = ask("1", text);
	};
	askAgain("b?");
	expect(await lookAt({ 8: 11_000, 9: 300 })).toBe(true);
	askAgain("c?");
	expect(await lookAt({ 8: 11_000, 9: 310, 10: 400 })).toBe(false);
	askAgain("d?");
	expect(await lookAt({ 8: 11_000, 11: 1_900 })).toBe(true);
});

test("the first answer counts, who asked hears it, and the second is told it", () => {
	const { questioner, client, ask } = questionerOf();
	const asker = ask("1.2", "which?", ["a", "b"]);
	const [first, second] = [client(), client()];
	questioner.answer(first, { say: "answer", question: 1, answer: { is: "words", text: "c" } });
	expect(first.heard).toMatchObject([{ say: "refused", reason: expect.stringContaining("a, b") }]);
	questioner.answer(first, { say: "answer", question: 1, answer: { is: "words", text: "b" } });
	questioner.answer(second, { say: "answer", question: 1, answer: { is: "words", text: "a" } });
	expect(asker.heard).toEqual([
		{ say: "asked", question: 1 },
		{ say: "answered", question: 1, answer: { is: "words", text: "b" } },
	]);
	expect(first.heard.at(-1)).toMatchObject({ say: "answer_taken", agent: "1.2" });
	expect(second.heard).toEqual([{ say: "refused", reason: "question 1 was already answered: b" }]);
});

test("who asked hears nothing of a stop, since its agent is being ended: what stands behind it would begin", () => {
	const { questioner, client, ask, effects, state } = questionerOf();
	const asker = ask("1.1");
	const person = client();
	questioner.answer(person, { say: "answer", question: 1, answer: { is: "stop", words: "no" } });
	expect(asker.heard).toEqual([{ say: "asked", question: 1 }]);
	expect(effects).toContainEqual(
		expect.objectContaining({ do: "tell", agent: "1.1", message: expect.objectContaining({ say: "stop" }) }),
	);
	expect(person.heard).toMatchObject([{ say: "answer_taken", agent: "1.1", answer: { is: "stop" } }]);
	expect(state.run.questions).toEqual([]);
});

test("one that is gone withdraws its question, and the same question has the same number again", () => {
	const { questioner, ask, state, client } = questionerOf();
	questioner.closed(ask("1.1"));
	expect(state.run.questions).toEqual([]);
	const late = client();
	questioner.answer(late, { say: "answer", question: 1, answer: { is: "allow" } });
	expect(late.heard).toMatchObject([{ reason: "question 1 is no longer waiting for an answer" }]);
	expect(ask("1.2").heard).toEqual([{ say: "asked", question: 2 }]);
	expect(ask("1.1").heard).toEqual([{ say: "asked", question: 1 }]);
});

test("where nobody can come there is no answer, and with a timeout none after it: never a yes", async () => {
	const nobody = questionerOf({ waits: false });
	expect(nobody.ask("1").heard).toMatchObject([
		{ say: "unanswered", reason: expect.stringContaining("nothing was approved") },
	]);
	expect(nobody.state.run.questions).toBeUndefined();
	const { clock, ask, questioner, client } = questionerOf({ timeoutMs: 90_000 });
	const [late, answered] = [ask("1"), ask("1.1")];
	questioner.answer(client(), { say: "answer", question: 2, answer: { is: "allow" } });
	await clock.pass(90_000);
	expect(late.heard.at(-1)).toMatchObject({
		say: "unanswered",
		reason: expect.stringMatching(/^nobody answered within 1m30s\. .*nothing was approved/),
	});
	expect(answered.heard).toHaveLength(2);
});

test("an agent that is over asks nothing, and there are bounds", () => {
	const { ask } = questionerOf();
	expect(ask("1.9").heard).toMatchObject([{ say: "refused" }]);
	for (let n = 0; n < 32; n++) expect(ask("1", `${n}?`).heard).toMatchObject([{ say: "asked" }]);
	expect(ask("1", "one more?").heard).toMatchObject([
		{ say: "refused", reason: expect.stringContaining("too many open questions") },
	]);
	expect(ask("1.1").heard).toMatchObject([{ say: "asked" }]);
});
