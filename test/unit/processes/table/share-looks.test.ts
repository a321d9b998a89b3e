import { expect, test } from "vitest";
import { shareLooks } from "../../../../src/processes/table/process-table.ts";

test("a call during the rest gets the one look that begins when the rest is over", async () => {
	let looks = 0;
	let endRest = () => {};
	const rest = () =>
		new Promise<void>((resolve) => {
			endRest = resolve;
		});
	const look = shareLooks(async () => ++looks, rest);
	expect(await Promise.all([look(), look()])).toEqual([1, 1]);
	const later = [look(), look()];
	await new Promise((resolve) => void setTimeout(resolve, 0));
	expect(looks).toBe(1);
	endRest();
	expect(await Promise.all(later)).toEqual([2, 2]);
});

test("a look that fails rejects for all its callers, and the next is made at once", async () => {
	let looks = 0;
	const look = shareLooks(
		async () => {
			if (looks++ === 0) throw new Error("EAGAIN");
			return looks;
		},
		() => new Promise(() => {}),
	);
	const outcomes = await Promise.allSettled([look(), look()]);
	expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	expect(await look()).toBe(2);
});
