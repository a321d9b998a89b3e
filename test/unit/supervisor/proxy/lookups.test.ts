import { expect, test } from "vitest";
import { Lookups } from "../../../../src/supervisor/proxy/lookups.ts";

/** Lookups that end when they are told to. */
function held() {
	const underWay: { name: string; end: (error?: Error) => void }[] = [];
	const lookups = new Lookups(
		(name) =>
			new Promise((resolve, reject) => {
				underWay.push({ name, end: (error) => (error === undefined ? resolve([name]) : reject(error)) });
			}),
	);
	const of = (name: string, agent = "1", signal = new AbortController().signal) =>
		lookups.of(name, { agent, signal }).catch((error: Error) => error.message);
	return { of, underWay, names: () => underWay.map(({ name }) => name) };
}

test("two names are looked up at once, and the others in turn, also after one that fails", async () => {
	const { of, underWay, names } = held();
	const found = ["a", "b", "c", "d"].map((name) => of(name));
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

test("agents that wait have their turns one after the other, and who is gone has none", async () => {
	const { of, underWay, names } = held();
	const gone = new AbortController();
	const found = ["a1", "a2", "a3", "a4"].map((name) => of(name, "1"));
	const called = of("b0", "1.1", gone.signal);
	found.push(of("c1", "1.2"), of("b1", "1.1"), of("c2", "1.2"), of("b2", "1.1"));
	gone.abort();
	expect(await called).toBe("called off");
	for (let at = 0; at < found.length; at++) {
		underWay[at]?.end();
		await Promise.race(found);
		await new Promise((resolve) => setImmediate(resolve));
	}
	await Promise.all(found);
	expect(names()).toEqual(["a1", "a2", "b1", "a3", "c1", "b2", "a4", "c2"]);
});
