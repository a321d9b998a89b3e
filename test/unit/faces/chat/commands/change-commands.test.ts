import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../../src/core/limits/limits.ts";
import { Chat, WAITING, WORKING } from "../chat-of.ts";

test("/model changes the model from the next call on, or that of the run to begin", () => {
	expect(new Chat(...WORKING).say("/model opus").sent()).toEqual([
		{ say: "change", agent: "1", model: "opus", startedIn: "/work" },
	]);
	const chat = new Chat().say("/model opus");
	expect(chat.told()).toBe("the chat will start with opus");
	expect(chat.state.choice).toEqual({ model: "opus" });
	expect(chat.say("/model").told()).toBe("opus\nothers: opus, shell");
	expect(new Chat(...WAITING).say("/model").told()).toMatch(/^shell\n/);
});

test("a change that is refused is told with the supervisor's reason", () => {
	const chat = new Chat(...WAITING).say("/model opsu");
	chat.did();
	expect(chat.hear({ say: "refused", reason: "unknown model opsu; did you mean opus?" }).did()).toEqual([
		{ do: "tell", told: [{ text: "unknown model opsu; did you mean opus?", tone: "bad" }] },
	]);
});

test("/effort takes the levels that there are", () => {
	expect(new Chat(...WAITING).say("/effort high").sent()).toEqual([{ say: "change", agent: "1", effort: "high" }]);
	expect(new Chat().say("/effort low").state.choice).toEqual({ effort: "low" });
	expect(new Chat().say("/effort meduim").told()).toBe("unknown effort meduim: did you mean medium?");
	expect(new Chat().say("/effort").told()).toBe("model default");
});

test("/limits shows what is in force, and sets one limit as its flag would", () => {
	expect(new Chat(...WAITING).say("/limits").told()).toMatch(/max-depth 3, .*max-turns 50/);
	const limitsSent = (text: string) => new Chat(...WAITING).say(text).sent();
	const change = (limits: object) => [{ say: "change", agent: "1", limits }];
	expect(limitsSent("/limits max-turns 100")).toEqual(change({ maxTurns: 100 }));
	expect(limitsSent("/limits budget-usd 0.50")).toEqual(change({ maxBudgetUsd: 0.5 }));
	expect(limitsSent("/limits --max-time=2h")).toEqual(change({ maxTimeMs: 7_200_000 }));
	expect(limitsSent("/limits max-budget-usd off")).toEqual(change({ maxBudgetUsd: null }));
});

test.each([
	{ given: "max-turns", reason: 'max-turns must be a whole number of 1 or more, not ""' },
	{ given: "max-turns many", reason: 'max-turns must be a whole number of 1 or more, not "many"' },
	{ given: "max-nothing 3", reason: "set a limit like this: /limits max-turns 100" },
])("/limits $given says what is wrong", ({ given, reason }) => {
	const chat = new Chat(...WAITING).say(`/limits ${given}`);
	expect(chat.did()).toEqual([{ do: "tell", told: [{ text: reason, tone: "bad" }] }]);
});

test("before the first message limits are those that the run begins with", () => {
	const chat = new Chat().say("/limits max-turns 7").say("/limits max-budget-usd 2").say("/limits max-budget-usd off");
	expect(chat.state.choice.limits).toEqual({ maxTurns: 7 });
	expect(chat.say("/limits").told()).toContain("max-turns 7");
	expect(DEFAULT_LIMITS.maxTurns).toBe(50);
});
