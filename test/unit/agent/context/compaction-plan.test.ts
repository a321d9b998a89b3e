import { expect, test } from "vitest";
import { keptFrom, planSummary, reduceTo } from "../../../../src/agent/context/compaction.ts";
import {
	bytesOf,
	contextBytes,
	type HistoryMessage,
	requestMessagesOf,
} from "../../../../src/agent/context/history.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/core/model/message.ts";
import { type Dice, diceOf } from "../../dice.ts";

const sized = (message: Message): HistoryMessage => ({ message, commands: [], bytes: bytesOf(message.content) });
const user = (...content: UserBlock[]) => sized({ role: "user", content });
const says = (text: string): UserBlock => ({ type: "text", text });
const pathOf = (log: string) => log;

/** The task, then rounds: calls with results, or an answer and what is said to it; sometimes two messages to one answer. */
function conversation(dice: Dice, rounds: number): HistoryMessage[] {
	const messages = [user(says("task"))];
	for (let n = 0; n < rounds; n++) {
		const ids = Array.from({ length: dice.roll(4) }, (_, i) => `c${n}_${i}`);
		const calls = ids.map((id): AssistantBlock => ({ type: "tool_use", id, name: "bash", input: {} }));
		messages.push(sized({ role: "assistant", content: [{ type: "text", text: `a${n}` }, ...calls] }));
		const results = ids.map((id): UserBlock => {
			return { type: "tool_result", tool_use_id: id, content: "x".repeat(dice.roll(300)) };
		});
		messages.push(user(...results, ...(ids.length === 0 ? [says("go on")] : [])));
		if (dice.roll(4) === 0) messages.push(user(says("a note")));
	}
	return messages;
}

const idsOf = (messages: readonly HistoryMessage[], type: "tool_use" | "tool_result") =>
	messages.flatMap(({ message }) =>
		(message.content as (AssistantBlock | UserBlock)[]).flatMap((block) => {
			if (block.type !== type) return [];
			return block.type === "tool_use" ? block.id : block.type === "tool_result" ? block.tool_use_id : [];
		}),
	);

// Seen to fail when any message may be the first that is kept.
test("a cut comes before an answer, never between a call and its result, and what is kept is within the bytes or one round", () => {
	for (let seed = 1; seed <= 500; seed++) {
		const dice = diceOf(seed);
		const messages = conversation(dice, 1 + dice.roll(8));
		const bytes = dice.roll(1_500);
		const cut = keptFrom(messages, bytes);
		const kept = messages.slice(cut);
		expect([seed, kept[0]?.message.role]).toEqual([seed, "assistant"]);
		expect([seed, idsOf(kept, "tool_result")]).toEqual([seed, idsOf(kept, "tool_use")]);
		const rounds = kept.filter(({ message }) => message.role === "assistant").length;
		const size = kept.reduce((sum, one) => sum + one.bytes, 0);
		expect([seed, rounds === 1 || size <= bytes]).toEqual([seed, true]);
	}
});

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

test("one round alone is not replaced; where it is too long, its older results are dropped", () => {
	const dice = diceOf(1);
	const one = { messages: conversation(dice, 1), summary: "" };
	expect(planSummary(one, { keepBytes: 9_999, mostBytes: 9_999 }, pathOf)).toBe(undefined);
	expect(planSummary({ messages: [], summary: "" }, { keepBytes: 9, mostBytes: 9 }, pathOf)).toBe(undefined);
	const result = (id: string): UserBlock => ({ type: "tool_result", tool_use_id: id, content: "x".repeat(1_000) });
	const calls = ["a", "b", "c"].map((id): AssistantBlock => ({ type: "tool_use", id, name: "bash", input: {} }));
	const long = [...one.messages, sized({ role: "assistant", content: calls }), user(...["a", "b", "c"].map(result))];
	const bounds = { keepBytes: 100, mostBytes: 2_700 };
	expect(planSummary({ messages: long, summary: "" }, bounds, pathOf)).toEqual({ keptMessages: 2, keptResults: 2 });
});

test("a request that has to fit is without old results, and without the oldest rounds where that is not enough", () => {
	for (let seed = 1; seed <= 200; seed++) {
		const dice = diceOf(seed);
		const context = { messages: conversation(dice, 2 + dice.roll(8)), summary: dice.roll(2) === 0 ? "" : "before" };
		const bytes = 600 + dice.roll(2_000);
		const reduced = reduceTo(context, bytes, pathOf);
		const rounds = reduced.messages.filter(({ message }) => message.role === "assistant").length;
		const size = reduced.messages.reduce((sum, one) => sum + one.bytes, 0);
		expect([seed, size <= bytes || rounds === 1]).toEqual([seed, true]);
		expect(contextBytes(reduced)).toBeLessThan(contextBytes(context) + 100);
		const isCut = reduced.messages.length < context.messages.length;
		expect(JSON.stringify(requestMessagesOf(reduced)).includes("left out here")).toBe(isCut);
	}
});
