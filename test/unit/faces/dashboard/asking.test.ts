import { describe, expect, test } from "vitest";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Wish } from "../../../../src/faces/dashboard/scene/pane.ts";
import type { Answer } from "../../../../src/faces/dashboard/scene/pending-requests.ts";
import { FIRST_UI } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { DashboardPerson } from "../../../fixtures/dashboard-person.ts";
import {
	agentEnded,
	BUSY_RUN,
	joined,
	replay,
	runEnded,
	STARTED_AT,
	turnStarted,
} from "../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../fixtures/keyed.ts";

const NOW = STARTED_AT + 60_000;
const REASON = "from the dashboard";

/** A dashboard whose person has selected the agent. */
class Person extends DashboardPerson {
	constructor(selected: AgentId, run: RunState = BUSY_RUN) {
		const ui = { ...FIRST_UI, selected };
		const size = { columns: 120, rows: 30 };
		super({
			run,
			ui,
			transcript: emptyTranscript(selected),
			events: [],
			activity: NO_ACTIVITY,
			isLost: false,
			size,
			now: NOW,
		});
	}

	get notice(): string | undefined {
		return this.picture.ui.notice?.text;
	}

	type(text: string): this {
		for (const character of text) this.give({ is: "key", key: keyed(character) });
		return this;
	}

	hears(event: RunEvent): this {
		return this.give({ is: "messages", messages: [{ say: "event", event }] });
	}

	gets(answer: Answer): this {
		return this.give({ is: "messages", messages: [answer] });
	}
}

const asked = (...messages: Extract<Wish, { is: "ask" }>["message"][]) =>
	messages.map((message) => expect.objectContaining({ is: "ask", message }));
const stopOf = (agent: AgentId, changes = {}) => ({
	...({ say: "stop_agent", agent, reason: REASON, signal: 15, isHurry: false } as const),
	...changes,
});
const paused = (agent: AgentId, from: AgentId | null = null, isHard?: true): RunEvent => ({
	...{ event: "agent_paused", at: NOW, agent, from },
	...(isHard && { isHard }),
});

describe("a stop", () => {
	test("is asked how and how much, and tells how far it is until it is answered", () => {
		const person = new Person("1.1").press("x s");
		expect(person.wishes).toEqual(asked(stopOf("1.1")));
		expect(person.notice).toBe("stopping 1.1 src: 2 of 2 agents still alive");
		person.hears(agentEnded("1.1.1", 61_000, { by: "stopped", reason: REASON, signal: 15 })).press("j");
		expect(person.notice).toBe("stopping 1.1 src: 1 of 2 agents still alive");
		person.hears(agentEnded("1.1", 61_000, { by: "stopped", reason: REASON, signal: 15 }));
		expect(person.notice).toBe("stopping 1.1 src: agents have ended, waiting for their processes");
		person.gets({ say: "stopped", agent: "1.1", survivors: [] });
		expect(person.notice).toBe("stopped 1.1 src and 1 agent below");
		expect(person.press("j").notice).toBe(undefined);
	});

	test("names who could not be ended", () => {
		const person = new Person("1.1.1").press("x s").gets({ say: "stopped", agent: "1.1.1", survivors: [812, 813] });
		expect(person.picture.ui.notice).toMatchObject({
			text: "not stopped: 1.1.1 count the lines of every…; could not stop these processes: 812, 813",
			tone: "bad",
		});
	});

	test.each([
		["x k", stopOf("1.1", { signal: 9, isHurry: true })],
		["x r", stopOf("1", { signal: 2 })],
		["g x s", stopOf("1", { signal: 2 })],
		["g x k", stopOf("1", { signal: 9, isHurry: true })],
	])("by the keys %s is of that kind", (keys, message) => {
		expect(new Person("1.1").press(keys).wishes).toEqual(asked(message));
	});

	test.each(["x escape", "x q", "x x", "x ctrl-c", "x y", "x enter"])("is not asked for by %s", (keys) => {
		expect(new Person("1.1").press(keys).wishes).toEqual([]);
	});

	test("that takes too long can be hurried, and is told of once", () => {
		const person = new Person("1.1").press("x s").hears(agentEnded("1.1.1", 61_000)).press("x k");
		expect(person.notice).toBe("killing 1.1 src: 1 of 2 agents still alive");
		person.gets({ say: "stopped", agent: "1.1", survivors: [] }).press("j");
		expect(person.gets({ say: "stopped", agent: "1.1", survivors: [] }).notice).toBe(undefined);
	});

	test("is of the agent that was selected when it was asked, wherever following leads meanwhile", () => {
		const person = new Person("1.1").press("f x").hears(turnStarted("1.2", 70_000, 2));
		const [opened] = [person.picture.ui.selected];
		expect(opened).toBe("1.2");
		expect(person.press("s").wishes).toEqual(asked(stopOf("1.1.1")));
	});

	test("a message to an agent that is over is typed into its line, not as keys, and is not sent", () => {
		const person = new Person("1.3").press("m").type("stop waiting, mind the map");
		expect([person.picture.ui.selected, person.wishes]).toEqual(["1.3", []]);
		person.press("enter");
		expect([person.wishes, person.notice]).toEqual([
			[],
			"1.3 docs has ended: limit: turn limit reached (max-turns 50)",
		]);
	});

	test("of an agent that ends before the answer is not asked for, nor of one that has ended, nor in a run that is over", () => {
		const late = new Person("1.1.1").press("x").hears(agentEnded("1.1.1", 61_000)).press("s");
		expect([late.wishes, late.notice]).toEqual([[], "1.1.1 count the lines of every… has ended: answer"]);
		expect(new Person("1.3").press("x").notice).toBe("1.3 docs has ended: limit: turn limit reached (max-turns 50)");
		expect(new Person("1.1", replay([runEnded(1)], BUSY_RUN)).press("x").notice).toBe("the run has ended");
		const lost = new Person("1.1").give({ is: "lost", at: NOW }).press("x");
		expect(lost.notice).toBe("the run's supervisor is gone, and so are its processes");
	});

	test("of the run is done when the run has ended, and the question is closed by that", () => {
		const person = new Person("1").press("x s");
		expect(person.notice).toBe("stopping the run: 4 of 4 agents still alive");
		expect(person.hears(runEnded(70_000)).notice).toBe(undefined);
		expect(new Person("1.1").press("x").hears(runEnded(70_000)).picture.ui.open).toEqual({ is: "none" });
	});

	test("goes on being told behind other notices", () => {
		const person = new Person("1.1")
			.press("x s")
			.press("k p")
			.gets({ say: "paused", agent: "1", agents: 4, processes: 0 });
		expect(person.notice).toBe("the run (4 agents) is paused; p to continue");
		expect(person.press("j").notice).toBe("stopping 1.1 src: 2 of 2 agents still alive");
	});
});

describe("a pause", () => {
	test("is asked for by p, and lifted by p", () => {
		const person = new Person("1.1").press("p");
		expect([person.wishes, person.notice]).toEqual([
			asked({ say: "pause", agent: "1.1", isHard: false }),
			"pausing 1.1 src …",
		]);
		person.hears(paused("1.1")).gets({ say: "paused", agent: "1.1", agents: 2, processes: 0 });
		expect(person.notice).toBe("1.1 src and 1 agent below are paused; p to continue");
		person.press("p");
		expect(person.wishes.slice(1)).toEqual(asked({ say: "continue", agent: "1.1" }));
		person.hears({ event: "agent_continued", at: NOW, agent: "1.1", from: null });
		expect(person.gets({ say: "continued", agent: "1.1", agents: 2 }).notice).toBe(
			"continued 1.1 src and 1 agent below",
		);
	});

	test("that lies above the agent is lifted there only", () => {
		const run = replay([paused("1.1")], BUSY_RUN);
		for (const keys of ["p", "P"]) {
			const person = new Person("1.1.1", run).press(keys);
			expect([person.wishes, person.notice, person.picture.ui.open.is]).toEqual([
				[],
				"1.1.1 is paused with 1.1 src; press p there to continue both",
				"none",
			]);
		}
	});

	test("that an agent has made is lifted by the person, too", () => {
		expect(new Person("1.1", replay([paused("1.1", "1")], BUSY_RUN)).press("p").wishes).toEqual(
			asked({ say: "continue", agent: "1.1" }),
		);
	});

	test("of an agent to which following has just led is asked for by a second p only", () => {
		const person = new Person("1.1")
			.press("f")
			.hears(turnStarted("1.2", 60_000, 2))
			.press("p");
		expect([person.wishes, person.notice]).toEqual([
			[],
			"the selection has just moved to 1.2 test; press p again to confirm",
		]);
		person.picture = { ...person.picture, now: NOW + 1_000 };
		expect(person.press("p").wishes).toEqual(asked({ say: "pause", agent: "1.2", isHard: false }));
	});

	test("is hard by P, after a question", () => {
		const person = new Person("1.1").press("P");
		expect(person.wishes).toEqual([]);
		expect(person.press("y").wishes).toEqual(asked({ say: "pause", agent: "1.1", isHard: true }));
		person.gets({ say: "paused", agent: "1.1", agents: 2, processes: 3 });
		expect(person.notice).toBe("1.1 src and 1 agent below are paused, 3 processes frozen; p to continue");
		for (const no of ["escape", "n", "P", "enter", "j"])
			expect(new Person("1.1").press(`S-p ${no}`).wishes).toEqual([]);
	});

	test("that is hard already is not asked for again", () => {
		const person = new Person("1.1", replay([paused("1.1", null, true)], BUSY_RUN)).press("P");
		expect([person.picture.ui.open.is, person.notice]).toEqual(["none", "1.1 src is already frozen; p to continue"]);
	});

	test("is asked for after the answer to what was asked before it, so that a refusal has its right name", () => {
		const person = new Person("1.1").press("p j j p");
		expect(person.wishes).toEqual(asked({ say: "pause", agent: "1.1", isHard: false }));
		person.gets({ say: "refused", reason: "agent 1.1 is being stopped" });
		expect(person.picture.ui.notice).toMatchObject({ text: "agent 1.1 is being stopped", tone: "bad" });
		expect(person.wishes.slice(1)).toEqual(asked({ say: "pause", agent: "1.2", isHard: false }));
		person.gets({ say: "paused", agent: "1.2", agents: 1, processes: 0 });
		expect(person.notice).toBe("1.2 test is paused; p to continue");
	});

	test("to which the run will not answer any more is told of", () => {
		const ended = new Person("1.1").press("p").hears(runEnded(70_000));
		expect(ended.notice).toBe("the run has ended before answering the request for 1.1 src");
		const lost = new Person("1.1").press("p").give({ is: "lost", at: NOW });
		expect(lost.notice).toBe("the run's supervisor is gone before answering the request for 1.1 src");
	});
});

describe("a message", () => {
	test("is typed or pasted into the bar, goes out by enter, and is told when it arrives", () => {
		const person = new Person("1.2")
			.press("m")
			.type("try ")
			.give({ is: "key", key: { is: "paste", text: "one\ntwo\n" } })
			.press("enter");
		expect(person.wishes).toEqual(asked({ say: "send", agent: "1.2", text: "try one\ntwo\n" }));
		expect(person.notice).toBe("sending to 1.2 test …");
		person.gets({ say: "sent", agent: "1.2", arrives: "command_end" });
		expect(person.notice).toBe("sent to 1.2 test: it gets the message when its command ends");
		expect(person.press("m").picture.ui.open).toMatchObject({ entry: { text: "" } });
	});

	test("that was begun is there again, for its agent only", () => {
		const person = new Person("1.2").press("m").type("half").press("escape");
		expect(person.picture.ui.open.is).toBe("none");
		expect(person.press("k m").picture.ui.open).toMatchObject({ about: "1.1.1", entry: { text: "" } });
		expect(person.press("escape j m").picture.ui.open).toMatchObject({
			about: "1.2",
			entry: { text: "half" },
		});
		expect(person.press("ctrl-u escape").picture.ui.drafts).toEqual(new Map());
	});

	test("may have several lines that are typed, too, where a find has one", () => {
		const person = new Person("1.2").press("m").type("one").press("ctrl-j").type("two").press("enter");
		expect(person.wishes).toEqual(asked({ say: "send", agent: "1.2", text: "one\ntwo" }));
		expect(new Person("1.2").press("/").type("one").press("ctrl-j").type("two").picture.ui.open).toMatchObject({
			entry: { text: "onetwo" },
		});
	});

	test("without a word is not sent", () => {
		const person = new Person("1.2").press("m").type("  ").press("enter");
		expect([person.wishes, person.picture.ui.drafts, person.notice]).toEqual([[], new Map(), undefined]);
	});

	test("that is too long is not sent, and kept", () => {
		const text = "x".repeat(10_001);
		const person = new Person("1.2")
			.press("m")
			.give({ is: "key", key: { is: "paste", text } })
			.press("enter");
		expect(person.wishes).toEqual([]);
		expect(person.notice).toMatch(/^10001 characters, at most 10000: put them in a file/);
		expect(person.picture.ui.drafts.get("1.2")).toBe(text);
	});

	test.each<[string, (person: Person) => Person]>([
		[
			"was refused",
			(person) => person.press("enter").gets({ say: "refused", reason: "agent 1.2 makes its last call" }),
		],
		["came too late", (person) => person.hears(agentEnded("1.2", 61_000)).press("enter")],
		["the run did not answer", (person) => person.press("enter").hears(runEnded(61_000))],
	])("that %s is a draft again", (_, fails) => {
		const person = fails(new Person("1.2").press("m").type("why"));
		expect(person.picture.ui.notice?.tone).toMatch(/bad|warn/);
		expect(person.picture.ui.drafts.get("1.2")).toBe("why");
	});

	test("is for the agent that was selected when it was begun", () => {
		const person = new Person("1.1")
			.press("f m")
			.hears(turnStarted("1.2", 70_000, 2))
			.type("hi")
			.press("enter");
		expect(person.picture.ui.selected).toBe("1.2");
		expect(person.wishes).toEqual(asked({ say: "send", agent: "1.1.1", text: "hi" }));
	});
});

test("answers to what others have asked change nothing", () => {
	const answers: Answer[] = [
		{ say: "stopped", agent: "1.1", survivors: [1] },
		{ say: "paused", agent: "1.1", agents: 1, processes: 0 },
		{ say: "continued", agent: "1.1", agents: 1 },
		{ say: "sent", agent: "1.1", arrives: "next_call" },
		{ say: "refused", reason: "no" },
	];
	for (const answer of answers) expect(new Person("1.1").gets(answer).notice).toBe(undefined);
});

test("an agent that is not there yet cannot be acted on", () => {
	const person = new Person("1.9");
	for (const key of ["x", "p", "P", "m"]) expect(person.press(key).notice).toBe("agent 1.9 has not started yet");
	expect(person.hears(joined("1.9", 70_000, "late", 2)).press("p").wishes).toEqual(
		asked({ say: "pause", agent: "1.9", isHard: false }),
	);
});
