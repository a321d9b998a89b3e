/** Questions of agents in the dashboard: no key answers another question than the one that the person has turned to. */

import { describe, expect, test } from "vitest";
import type { Asked } from "../../../../../src/core/run/questions.ts";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import { layOut } from "../../../../../src/faces/dashboard/layout.ts";
import { LISTED_KEYS } from "../../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { answeringOf, FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { UnreadPane } from "../../../../../src/faces/dashboard/show-dashboard.ts";
import type { Input } from "../../../../../src/faces/dashboard/update.ts";
import { view } from "../../../../../src/faces/dashboard/view.ts";
import { NO_ACTIVITY } from "../../../../../src/view/agents/activity.ts";
import type { ToWatcher } from "../../../../../src/wire/watcher-messages.ts";
import { DashboardPerson } from "../../../../fixtures/dashboard-person.ts";
import { BUSY_RUN, replay, runEnded, STARTED_AT } from "../../../../fixtures/dashboard-run.ts";
import { drawn } from "../../../../fixtures/drawn-lines.ts";
import { keyed } from "../../../../fixtures/keyed.ts";

const PUSH: Asked = { is: "command", command: "git push", directory: "/p", because: "the rule git push" };
const asks = (question: number, agent = "1.2", what = PUSH): RunEvent => ({
	...{ event: "question_asked", at: STARTED_AT, agent, question, what },
});
const answered = (question: number): RunEvent => ({
	...{ event: "question_answered", at: STARTED_AT, agent: "1.2", question, answer: { is: "no" } },
});

class Person extends DashboardPerson {
	constructor(...events: readonly RunEvent[]) {
		super({
			...{ run: replay(events, BUSY_RUN), ui: FIRST_UI, transcript: emptyTranscript("1"), events: [] },
			...{ activity: NO_ACTIVITY, isLost: false, size: { columns: 80, rows: 24 }, now: STARTED_AT },
		});
	}

	hears(...messages: readonly ToWatcher[]): this {
		return this.give({ is: "messages", messages });
	}

	happens(...events: readonly RunEvent[]): this {
		return this.hears(...events.map((event): ToWatcher => ({ say: "event", event })));
	}

	/** What the run was asked since the last time. */
	asked(): unknown[] {
		return this.wishes.splice(0).map((wish) => (wish.is === "ask" ? wish.message : wish));
	}

	get open() {
		return answeringOf(this.picture.ui)?.question.number;
	}

	get screen(): string {
		return drawn(view(this.picture));
	}
}

const answer = (question: number, given: object) => ({ say: "answer", question, answer: given });

test("r turns to the question, y answers it and closes it, and the bar tells what came of it", () => {
	const person = new Person(asks(1)).press("r");
	expect(person.open).toBe(1);
	person.press("y");
	expect(person.asked()).toEqual([answer(1, { is: "allow" })]);
	expect(person.open).toBeUndefined();
	expect(person.picture.ui.notice?.text).toBe("answering question 1 …");
	person.hears({ say: "answer_taken", question: 1, agent: "1.2", answer: { is: "allow" } });
	expect(person.picture.ui.notice?.text).toBe("answered question 1 of agent 1.2: yes");
});

test("who answers second is told what the first one said", () => {
	const person = new Person(asks(1)).press("r y").happens(answered(1));
	person.hears({ say: "refused", reason: "question 1 was answered before: no" });
	expect(person.picture.ui.notice).toMatchObject({ text: "question 1 was answered before: no", tone: "bad" });
});

test("keys that are pressed before the person has turned to the question answer nothing", () => {
	const person = new Person();
	person.happens(asks(1)).press("y a n s escape 1 enter space");
	expect(person.asked()).toEqual([]);
	person.press("m h e").happens(asks(2)).press("y y enter");
	expect(person.asked()).toEqual([{ say: "send", agent: "1", text: "heyy" }]);
});

test("a key does not answer a question that comes in the place of the one that it was meant for", () => {
	const person = new Person(asks(1), asks(2)).press("r");
	person.happens(answered(1)).press("y a s y");
	expect(person.asked()).toEqual([]);
	expect(person.open).toBe(1);
	expect(person.screen).toContain("Answered elsewhere: no");
	expect(person.press("tab").open).toBe(2);
	expect(person.press("y").asked()).toEqual([answer(2, { is: "allow" })]);
});

test("words that are typed while their question is answered elsewhere go nowhere", () => {
	const person = new Person(asks(1), asks(2)).press("r n x y").happens(answered(1)).press("enter");
	expect(person.asked()).toEqual([]);
	expect(person.open).toBeUndefined();
});

test("what is pasted is an answer only where one is being written", () => {
	const person = new Person(asks(1)).press("r").give({ is: "key", key: { is: "paste", text: "y" } });
	expect(person.asked()).toEqual([]);
	person
		.press("n")
		.give({ is: "key", key: { is: "paste", text: "not\u001b[2J now" } })
		.press("enter");
	expect(person.asked()).toEqual([answer(1, { is: "no", words: "not now" })]);
});

test("a key counts only once its question was drawn, and so again for the next question", async () => {
	const person = new Person(asks(1), asks(2));
	const unread = new UnreadPane();
	const press = (name: string) => {
		const { ui } = person.picture;
		if (unread.ignores(ui, keyed(name))) return;
		person.press(name);
		unread.note(ui, person.picture.ui);
	};
	const drawnOnce = async () => {
		unread.drawn();
		await new Promise(setImmediate);
	};
	for (const name of ["r", "y", "y", "tab", "y"]) press(name);
	expect([person.asked(), person.open]).toEqual([[], 1]);
	await drawnOnce();
	for (const name of ["tab", "y"]) press(name);
	expect([person.asked(), person.open]).toEqual([[], 2]);
	await drawnOnce();
	press("y");
	expect(person.asked()).toEqual([answer(2, { is: "allow" })]);
});

test("the question of the selected agent goes before the oldest one", () => {
	const person = new Person(asks(1, "1.2"), asks(2, "1.1"));
	expect(person.screen).toContain(" ? question 1  1.2 ");
	expect(person.press("j").screen).toContain(" ? question 2  1.1 ");
	expect(person.press("r").open).toBe(2);
});

test("a question is gone with its run, and without one r says so", () => {
	const person = new Person(asks(1)).press("r").happens(runEnded(1));
	expect(person.open).toBeUndefined();
	expect(person.screen).not.toContain("? question 1");
	expect(new Person().press("r").picture.ui.notice?.text).toBe("no open questions");
	const lost = new Person(asks(1)).press("r").give({ is: "lost", at: STARTED_AT });
	expect([lost.open, lost.screen.includes("? question 1")]).toEqual([undefined, false]);
});

describe("the band", () => {
	const click = (x: number, y: number): Input => ({ is: "key", key: { is: "mouse", x, y, button: "left" } });

	test("is there as long as a question is open, and a click on it turns to the question and answers nothing", () => {
		const person = new Person(asks(1));
		expect(person.screen).toContain("$ git push  (the rule git push)");
		person.give(click(3, 2));
		expect(person.open).toBe(1);
		for (let y = 0; y < 24; y++) person.give(click(5, y));
		expect(person.asked()).toEqual([]);
		person.press("escape").happens(answered(1));
		expect(person.screen).not.toContain("? question 1");
	});

	test("takes its rows from the panes, where a click still means what it shows", () => {
		const person = new Person(asks(1));
		const at = person.screen.split("\n").findIndex((line) => line.includes("3 docs"));
		expect(person.give(click(8, at)).picture.ui.selected).toBe("1.3");
		const { bodyRows, headerRows, questionBannerRows } = layOut(sceneOf(person.picture, LISTED_KEYS));
		expect(headerRows + questionBannerRows + bodyRows + 2).toBe(24);
	});
});
