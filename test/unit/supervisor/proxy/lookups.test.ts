import { expect, test } from "vitest";
import { Lookups } from "../../../../src/supervisor/proxy/lookups.ts";

test("two names are looked up at once, and the others in turn, also after one that fails", async () => {
	const underWay: { name: string; end: (error?: Error) => void }[] = [];
	const lookups = new Lookups(
		(name) =>
			new Promise((resolve, reject) => {
				underWay.push({ name, end: (error) => (error === undefined ? resolve([name]) : reject(error)) });
			}),
	);
	const found = ["a", "b", "c", "d"].map((name) => lookups.of(name).catch((error: Error) => error.message));
	const names = () => underWay.map(({ name }) => name);
	expect(names()).toEqual(["a", "b"]);
	underWay[1]?.end(new Error("broken"));
	await found[1];
	expect(names()).toEqual(["a", "b", "c"]);
	underWay[0]?.end();
	underWay[2]?.end();
	await Promise.all([found[0], found[2]]);
	underWay[3]?.end();
	expect(await Promise.all(found)).toEqual([["a"], "broken", ["c"], ["d"]]);
});
