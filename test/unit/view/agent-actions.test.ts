import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import { describeAct } from "../../../src/view/agent-actions.ts";

type Act = Parameters<typeof describeAct>[0];

const of = { at: 0, agent: "1" } as const;

test.each<[Act, string]>([
	[{ event: "agent_listening", ...of }, "waits for you"],
	[{ event: "agent_interrupted", ...of, from: null }, "was interrupted by the person"],
	[{ event: "message_unheard", ...of, from: null, text: "no" }, "ended before it got the message of the person: no"],
	[{ event: "message_withdrawn", ...of, text: "no" }, "does not get the message that was taken back: no"],
	[
		{ event: "agent_changed", ...of, model: "m", effort: "low", limits: DEFAULT_LIMITS },
		"goes on with model m, effort low, other limits",
	],
	[{ event: "agent_changed", ...of }, "goes on with what it had"],
	[
		{ event: "agent_changed", ...of, windowTokens: 4096, reason: "it is small" },
		"goes on with a context of 4096 tokens: it is small",
	],
	[{ event: "todo_changed", ...of, items: [] }, "has put its plan away"],
	[{ event: "todo_changed", ...of, items: [{ text: "a", is: "open" }] }, "plans: 0 of 1 done"],
	[
		{
			...{ event: "todo_changed", ...of },
			items: [
				{ text: "a", is: "done" },
				{ text: "b", is: "doing" },
			],
		},
		"plans: 1 of 2 done, now: b",
	],
])("the event %j reads: %s", (act, text) => expect(describeAct(act)).toBe(text));
