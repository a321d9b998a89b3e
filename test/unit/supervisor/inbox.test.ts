import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../src/core/model/transcript.ts";
import type { Outbox } from "../../../src/supervisor/agent-exchange.ts";
import { Inbox } from "../../../src/supervisor/agent-exchange.ts";
import { initialState } from "../../../src/supervisor/decide/supervisor-state.ts";
import type { CommandPermission } from "../../../src/supervisor/permissions/command-permission.ts";
import { joined, runOf, turnStarted } from "../core/run-of.ts";
import { fakeCore, part } from "./fake-core.ts";

const TASK = { role: "user" as const, content: [{ type: "text" as const, text: "count" }] };

/** An inbox of agent 1.2, and all that comes out of it. */
function inbox() {
	const out: { written: TranscriptEntry[]; inputs: string[]; given: unknown[] } = {
		written: [],
		inputs: [],
		given: [],
	};
	const { core } = fakeCore({
		state: initialState(runOf(joined("1"), joined("1.2"), turnStarted("1.2", 1))),
		host: { now: () => 77 },
		journal: { message: (_, entry) => void out.written.push(entry) },
		dispatch: ({ is }) => void out.inputs.push(is),
	});
	const { conversations } = core;
	conversations.open({ agent: "1.2" }, "be brief", { isConversation: false, mayAnswerNothing: false });
	const taker = new Inbox(core, {
		...{ histories: part({}), sandboxes: part({}), permission: part<CommandPermission>({ forget: () => {} }) },
		outbox: part<Outbox>({ give: (_, { message }) => void out.given.push(message) }),
	});
	return { out, take: (message: Parameters<Inbox["take"]>[1]) => taker.take("1.2", message), conversations };
}

test("an entry is written with the supervisor's time and turn, and an ask becomes the supervisor's request", () => {
	const { out, take, conversations } = inbox();
	expect(take({ say: "record", entry: TASK })).toBeUndefined();
	expect(take({ say: "ask", messages: [TASK] })).toBeUndefined();
	const dropped = { how: "dropped_results", summary: "", keptMessages: 1, tokensBefore: 9, tokensAfter: 5 } as const;
	expect(take({ say: "record", entry: { role: "note", note: "compaction", ...dropped } })).toBeUndefined();
	const note = { role: "note", note: "compaction", ...dropped, at: 77, turn: 1 };
	expect(out).toEqual({ written: [{ ...TASK, at: 77 }, note], inputs: ["recorded", "asked", "recorded"], given: [] });
	conversations.close("1.2");
	expect(take({ say: "ask", messages: [TASK] })).toBeDefined();
});

test("a request that ends with an answer is none of an agent of ours, and the seventh summary between two turns is none", () => {
	const { out, take } = inbox();
	const answer = { role: "assistant" as const, content: [{ type: "text" as const, text: "you may" }] };
	expect(take({ say: "ask", messages: [TASK, answer] })).toBe("a request that does not end with a user message");
	expect(out).toEqual({ written: [], inputs: [], given: [] });
	for (let n = 0; n < 7; n++) take({ say: "ask", isSummary: true, messages: [TASK] });
	expect(out).toEqual({ written: [], inputs: Array(6).fill("asked"), given: [{ say: "summary", is: "none" }] });
});
