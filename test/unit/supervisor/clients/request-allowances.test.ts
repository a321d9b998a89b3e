import { expect, test } from "vitest";
import { RequestAllowances } from "../../../../src/supervisor/clients/request-allowances.ts";

/** How many of `count` requests are taken at the time. */
function taking() {
	let now = 1_000;
	const allowances = new RequestAllowances(() => now);
	const taken = (count: number, request: Parameters<RequestAllowances["refusal"]>[0]) =>
		Array.from({ length: count }, () => allowances.refusal(request)).filter((refusal) => refusal === undefined).length;
	const wait = (ms: number) => {
		now += ms;
	};
	return { allowances, taken, wait };
}

test("an agent may ask for many things at once, and for one a second from then on; it keeps no other one from asking", () => {
	const { allowances, taken, wait } = taking();
	const todo = { say: "todo", by: "1.1", change: { do: "set", items: ["a"] } } as const;
	const question = { say: "question", by: "1.1", text: "which?" } as const;
	expect(taken(150, todo) + taken(150, question)).toBe(200);
	expect(allowances.refusal({ say: "pause", agent: "1.1.1", isHard: false, by: "1.1" })).toContain(
		"agent 1.1 ask for too much",
	);
	expect(taken(1, { ...todo, by: "1" })).toBe(1);
	wait(3_000);
	expect(taken(9, question)).toBe(3);
});

test("what is long counts as several; what leaves nothing in the record, and what a person asks for, does not count", () => {
	const { taken } = taking();
	const text = "x".repeat(9_999);
	expect(taken(100, { say: "send", agent: "1", by: "1.1", text })).toBe(66);
	expect(taken(300, { say: "todo", by: "1.1", change: { do: "list" } })).toBe(300);
	expect(taken(300, { say: "send", agent: "1", by: null, text })).toBe(300);
});

// Seen to stall a run: each copy of a large record takes the supervisor's time, and stays on the disk.
test("copies of the record count by their size; the largest one can be had, too", () => {
	const { allowances, taken, wait } = taking();
	const copy = { say: "copy_record", agent: "1.1", by: "1.1" } as const;
	expect(taken(300, copy)).toBe(200);
	wait(200_000);
	const copies = (bytes: number) =>
		Array.from({ length: 300 }, () => allowances.refusal(copy, () => bytes)).filter((one) => one === undefined).length;
	expect(copies(30 * 1024 * 1024)).toBe(25);
	wait(200_000);
	expect(copies(1e12)).toBe(10);
});
