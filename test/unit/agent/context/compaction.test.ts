import { beforeAll, expect, test } from "vitest";
import { keptFrom } from "../../../../src/agent/context/compaction.ts";
import { bytesOf, type HistoryMessage } from "../../../../src/agent/context/history.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/core/model/message.ts";
import { checkRequest } from "../../../../src/models/protocol/check-request.ts";
import { TOOLS } from "../../../../src/supervisor/conversations/system-prompt.ts";
import { type Asked, type Played, play } from "./compaction-model.ts";

const SEEDS = Array.from({ length: 60 }, (_, n) => n + 1);
const played: { seed: number; run: Played }[] = [];

beforeAll(async () => {
	for (const seed of SEEDS) played.push({ seed, run: await play(seed, 25) });
});

const textsOf = (content: readonly { type: string; text?: string }[]) => content.flatMap(({ text }) => text ?? []);

/** Everything that a request of a turn has to keep, whatever was replaced before it. */
function checkTurn({ request, replayed }: Asked, seed: number): void {
	expect([seed, checkRequest(request)]).toEqual([seed, undefined]);
	expect([seed, request.messages]).toEqual([seed, replayed]);
	expect(textsOf(request.messages[0]?.content ?? [])[0]).toBe("count the words of all files");
	for (const { content } of request.messages)
		for (const block of content)
			if (block.type === "thinking") expect(block.signature).toBe(`s${block.thinking.slice(1)}=`);
}

// Seen to fail when the note does not tell which results were dropped, or of two messages too many, when the summary
// stands at another place, and when a summary that is longer than what it replaces is taken.
test("whatever is asked, answered and replaced, each request is in order, and the transcript makes the same of it", () => {
	const seen = { summary: 0, dropped_results: 0, full: 0, answered: 0 };
	for (const { seed, run } of played) {
		const { end, asked, transcript } = run;
		for (const one of asked) {
			if (one.kind === "turn") checkTurn(one, seed);
			else expect([seed, checkRequest(one.request)]).toEqual([seed, undefined]);
			if (one.reply?.say === "ask_failed" && one.reply.contextFull) seen.full++;
		}
		const notes = transcript.flatMap((entry) => (entry.role === "note" && entry.note === "compaction" ? [entry] : []));
		for (const note of notes) {
			seen[note.how]++;
			const { tokensBefore, tokensAfter } = note as { tokensBefore?: number; tokensAfter?: number };
			expect(tokensAfter).toBeLessThan(tokensBefore ?? 0);
		}
		if (end.ending.by === "answer") seen.answered++;
		else expect([seed, end.ending]).toMatchObject([seed, { by: "failure", exitCode: 1 }]);
	}
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
});

test("a summary is asked for with the same system and tools, with the right to use them but once more without it, and what is kept is the newest", () => {
	for (const { run } of played) {
		const { asked } = run;
		for (const [n, { kind, request }] of asked.entries()) {
			expect([request.system, request.tools]).toEqual(["be brief", TOOLS]);
			if (!request.mayUseTools)
				expect(asked[n - 1]).toMatchObject({ kind: "compaction", request: { mayUseTools: true } });
			if (kind !== "compaction") continue;
			expect(textsOf(request.messages.at(-1)?.content ?? []).at(-1)).toContain("Write down all that is needed");
			const after = asked.slice(n).find((later) => later.kind === "turn");
			const lastBlocks = (messages: typeof request.messages) => messages.at(-2)?.content;
			if (after !== undefined) expect(lastBlocks(after.request.messages)).toEqual(lastBlocks(request.messages));
		}
	}
});

test("switched off, no summary is asked for until the service says that the context is full", async () => {
	for (const seed of SEEDS.slice(0, 20)) {
		const { asked } = await play(seed, 25, 0);
		for (const [n, { kind }] of asked.entries()) {
			if (kind !== "compaction") continue;
			const before = asked[n - 1]?.reply;
			const isFull = before?.say === "ask_failed" || (before?.say === "answer" && before.stopReason !== "tool_use");
			expect([seed, isFull]).toEqual([seed, true]);
		}
	}
});

// Seen to fail when the newest result is dropped first.
test("what is dropped names its log and how much was printed, and the newest result stays longest", () => {
	let dropped = 0;
	for (const { run } of played) {
		const { asked, logs } = run;
		for (const { request } of asked) {
			const results = request.messages.flatMap(({ content }) =>
				(content as UserBlock[]).flatMap((block) => (block.type === "tool_result" ? [block] : [])),
			);
			const isDropped = (text: string) => text.startsWith("[dropped to make room: 9 bytes; ");
			const last = results.findLastIndex(({ content }) => isDropped(content));
			for (const [n, { content, tool_use_id: id }] of results.entries()) {
				if (n <= last) expect(content.length).toBeLessThan(120); // or it was short before
				if (!isDropped(content)) continue;
				dropped++;
				expect(content).toMatch(new RegExp(`; (the whole is in ${logs.get(id)}|no file holds it)\\]$`));
			}
		}
	}
	expect(dropped).toBeGreaterThan(25);
});

const sized = (message: Message): HistoryMessage => ({ message, commands: [], bytes: bytesOf(message.content) });
const user = (...content: UserBlock[]) => sized({ role: "user", content });
const says = (text: string): UserBlock => ({ type: "text", text });

test("a call that was answered later than at once is not cut from its result", () => {
	const call: AssistantBlock = { type: "tool_use", id: "a", name: "bash", input: {} };
	const late: UserBlock = { type: "tool_result", tool_use_id: "a", content: "ok" };
	const messages = [
		...[user(says("task")), sized({ role: "assistant", content: [{ type: "text", text: "0" }] }), user(says("go on"))],
		...[sized({ role: "assistant", content: [call] }), user(says("wait"))],
		...[sized({ role: "assistant", content: [{ type: "text", text: "1" }] }), user(late)],
	];
	expect(keptFrom(messages, 0)).toBe(3);
});
