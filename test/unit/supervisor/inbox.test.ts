import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../src/core/model/transcript.ts";
import { Conversations } from "../../../src/supervisor/conversations/conversations.ts";
import { Inbox, type InboxDeps } from "../../../src/supervisor/inbox.ts";

const TASK = { role: "user" as const, content: [{ type: "text" as const, text: "count" }] };

/** An inbox of agent 1.2, and all that comes out of it. */
function inbox() {
	const out: { written: TranscriptEntry[]; inputs: string[]; given: unknown[] } = {
		written: [],
		inputs: [],
		given: [],
	};
	const conversations = new Conversations();
	conversations.open({ agent: "1.2" }, "be brief", { isConversation: false, mayAnswerNothing: false });
	const taker = new Inbox({
		...({ registry: {}, machine: {}, sandboxes: {} } as Pick<InboxDeps, "registry" | "machine" | "sandboxes">),
		...{ conversations, histories: { take: () => {} }, permission: { forget: () => {} } },
		journal: { message: (_, entry) => void out.written.push(entry) },
		outbox: { give: (_, { message }) => void out.given.push(message) },
		...{ run: () => ({ agents: { "1.2": { turns: 3 } } }) as never, now: () => 77 },
		dispatch: ({ is }) => void out.inputs.push(is),
	});
	return { out, take: (message: Parameters<Inbox["take"]>[1]) => taker.take("1.2", message), conversations };
}

test("an entry is written with the supervisor's time and turn, and an ask becomes the supervisor's request", () => {
	const { out, take, conversations } = inbox();
	expect(take({ say: "record", entry: TASK })).toBeUndefined();
	expect(take({ say: "ask", messages: [TASK] })).toBeUndefined();
	const dropped = { how: "dropped_results", summary: "", keptMessages: 1, tokensBefore: 9, tokensAfter: 5 } as const;
	expect(take({ say: "record", entry: { role: "note", note: "compaction", ...dropped } })).toBeUndefined();
	const note = { role: "note", note: "compaction", ...dropped, at: 77, turn: 3 };
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
