import { expect, test } from "vitest";
import { cutBefore, planSummary, reducedTo } from "../../../../src/agent/context/compaction-plan.ts";
import { bytesOf, type HeldMessage } from "../../../../src/agent/context/held-message.ts";
import { bytesInForce, messagesOf } from "../../../../src/agent/context/history.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/core/model.ts";
import { type Dice, diceOf } from "../../dice.ts";

const held = (message: Message): HeldMessage => ({ message, commands: [], bytes: bytesOf(message.content) });
const user = (...content: UserBlock[]) => held({ role: "user", content });
const says = (text: string): UserBlock => ({ type: "text", text });
const pathOf = (log: string) => log;

/** The task, then rounds: calls with results, or an answer and what is said to it; sometimes two messages to one answer. */
function conversation(dice: Dice, rounds: number): HeldMessage[] {
	const messages = [user(says("task"))];
	for (let n = 0; n < rounds; n++) {
		const ids = Array.from({ length: dice.roll(4) }, (_, i) => `c${n}_${i}`);
		const calls = ids.map((id): AssistantBlock => ({ type: "tool_use", id, name: "bash", input: {} }));
		messages.push(held({ role: "assistant", content: [{ type: "text", text: `a${n}` }, ...calls] }));
		const results = ids.map((id): UserBlock => {
			return { type: "tool_result", tool_use_id: id, content: "x".repeat(dice.roll(300)) };
		});
		messages.push(user(...results, ...(ids.length === 0 ? [says("go on")] : [])));
		if (dice.roll(4) === 0) messages.push(user(says("a note")));
	}
	return messages;
}

const idsOf = (messages: readonly HeldMessage[], type: "tool_use" | "tool_result") =>
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
		const cut = cutBefore(messages, bytes);
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
		...[user(says("task")), held({ role: "assistant", content: [{ type: "text", text: "0" }] }), user(says("go on"))],
		...[held({ role: "assistant", content: [call] }), user(says("wait"))],
		...[held({ role: "assistant", content: [{ type: "text", text: "1" }] }), user(late)],
	];
	expect(cutBefore(messages, 0)).toBe(3);
});

test("one round alone is not replaced; where it is too long, its older results are dropped", () => {
	const dice = diceOf(1);
	const one = { held: conversation(dice, 1), summary: "" };
	expect(planSummary(one, { keepBytes: 9_999, mostBytes: 9_999 }, pathOf)).toBe(undefined);
	expect(planSummary({ held: [], summary: "" }, { keepBytes: 9, mostBytes: 9 }, pathOf)).toBe(undefined);
	const result = (id: string): UserBlock => ({ type: "tool_result", tool_use_id: id, content: "x".repeat(1_000) });
	const calls = ["a", "b", "c"].map((id): AssistantBlock => ({ type: "tool_use", id, name: "bash", input: {} }));
	const long = [...one.held, held({ role: "assistant", content: calls }), user(...["a", "b", "c"].map(result))];
	const bounds = { keepBytes: 100, mostBytes: 2_700 };
	expect(planSummary({ held: long, summary: "" }, bounds, pathOf)).toEqual({ keptMessages: 2, keptResults: 2 });
});

test("a request that has to fit is without old results, and without the oldest rounds where that is not enough", () => {
	for (let seed = 1; seed <= 200; seed++) {
		const dice = diceOf(seed);
		const inForce = { held: conversation(dice, 2 + dice.roll(8)), summary: dice.roll(2) === 0 ? "" : "before" };
		const bytes = 600 + dice.roll(2_000);
		const reduced = reducedTo(inForce, bytes, pathOf);
		const rounds = reduced.held.filter(({ message }) => message.role === "assistant").length;
		const size = reduced.held.reduce((sum, one) => sum + one.bytes, 0);
		expect([seed, size <= bytes || rounds === 1]).toEqual([seed, true]);
		expect(bytesInForce(reduced)).toBeLessThan(bytesInForce(inForce) + 100);
		const isCut = reduced.held.length < inForce.held.length;
		expect(JSON.stringify(messagesOf(reduced)).includes("left out here")).toBe(isCut);
	}
});
