import { expect, test } from "vitest";
import { isWithin, parentOf, withAncestors } from "../../../../../src/core/model/agent.ts";
import { Slots } from "../../../../../src/supervisor/decide/slots.ts";
import { diceOf } from "../../../dice.ts";

const atMost = (most: number) => () => most;
const plain = ({ active, waiting }: Slots) => ({ active: [...active], waiting });

function waitingFor(...agents: string[]): Slots {
	const slots = new Slots();
	for (const agent of agents) slots.request(agent, false);
	return slots;
}

function granted(most: number, ...agents: string[]): Slots {
	const slots = waitingFor(...agents);
	slots.grant(atMost(most));
	return slots;
}

test("slots are given in the order of asking, as many as there are", () => {
	const slots = waitingFor("1.3", "1.1", "1.2");
	expect(slots.grant(atMost(2))).toEqual(["1.3", "1.1"]);
	expect(plain(slots)).toEqual({ active: ["1.3", "1.1"], waiting: [{ agent: "1.2", isReturning: false }] });
});

test("an agent that was active before goes ahead of those that were not", () => {
	const slots = waitingFor("1.1", "1.2");
	slots.request("1.3", true);
	expect(slots.grant(atMost(1))).toEqual(["1.3"]);
});

test("asking twice, or with a slot in hand, changes nothing", () => {
	const slots = granted(1, "1", "1.1");
	const before = plain(slots);
	slots.request("1", false);
	slots.request("1.1", true);
	expect(plain(slots)).toEqual(before);
});

test("a slot given back is free, and giving it back again frees no second one", () => {
	const slots = granted(1, "1.1", "1.2", "1.3");
	slots.release("1.1");
	slots.release("1.1");
	expect(slots.grant(atMost(1))).toEqual(["1.2"]);
});

test("a bound on a subtree binds only that subtree: others go past those who wait there", () => {
	const bounds: Record<string, number> = { "1": 3, "1.1": 1 };
	const slots = waitingFor("1.1.1", "1.1.2", "1.2");
	expect(slots.grant((id) => bounds[id] ?? 9)).toEqual(["1.1.1", "1.2"]);
	expect(slots.waiting).toEqual([{ agent: "1.1.2", isReturning: false }]);
});

test("those that may not begin are passed over, and keep their place", () => {
	const slots = waitingFor("1.1", "1.2", "1.3");
	expect(slots.grant(atMost(1), (agent) => agent !== "1.1")).toEqual(["1.2"]);
	slots.release("1.2");
	expect(slots.grant(atMost(1))).toEqual(["1.1"]);
});

test("a lent slot goes to the child at once, ahead of all who wait longer", () => {
	const slots = granted(1, "1.1", "1.2", "1.1.1");
	slots.lend("1.1", "1.1.1", atMost(1));
	expect(plain(slots)).toEqual({ active: ["1.1.1"], waiting: [{ agent: "1.2", isReturning: false }] });
});

test("a lender without a child that waits gives its slot back", () => {
	const slots = granted(1, "1.1", "1.2");
	slots.lend("1.1", undefined, atMost(1));
	expect(plain(slots)).toEqual({ active: [], waiting: [{ agent: "1.2", isReturning: false }] });
});

test("who has no slot lends none, and asks for none either while its children live", () => {
	const slots = granted(1, "1.2", "1.1", "1.1.1");
	slots.lend("1.1", "1.1.1", atMost(1));
	expect(plain(slots)).toEqual({ active: ["1.2"], waiting: [{ agent: "1.1.1", isReturning: false }] });
});

test("a slot is not lent to a child whose own bound is used up by an agent below it", () => {
	const slots = granted(2, "1", "1.1.1");
	slots.request("1.1", true);
	const bounds: Record<string, number> = { "1": 2, "1.1": 1 };
	slots.lend("1", "1.1", (id) => bounds[id] ?? 9);
	expect(plain(slots)).toEqual({ active: ["1.1.1"], waiting: [{ agent: "1.1", isReturning: true }] });
});

test("the children of an agent that wait are known in the order of asking, whether they return or begin", () => {
	const slots = waitingFor("1.2", "1.1.1", "1.3");
	slots.request("1.1", true);
	slots.release("1.3");
	expect([...slots.childrenWaiting("1")]).toEqual(["1.2", "1.1"]);
	expect([...slots.childrenWaiting("1.2")]).toEqual([]);
});

const TREE = ["1", "1.1", "1.2", "1.1.1", "1.1.2", "1.2.1", "1.2.2", "1.1.1.1"];

test("whatever is asked, lent and given back, no bound above an agent is exceeded and nobody waits beside a free slot", () => {
	for (let seed = 1; seed <= 30; seed++) {
		const dice = diceOf(seed);
		const bounds = new Map(TREE.map((id) => [id, 1 + dice.roll(3)]));
		const boundOf = (id: string) => bounds.get(id) ?? 9;
		const activeIn = (slots: Slots, root: string) => [...slots.active].filter((id) => isWithin(id, root)).length;
		const slots = new Slots();
		for (let step = 0; step < 40; step++) {
			const agent = dice.pick(TREE) ?? "1";
			const children = TREE.filter((id) => parentOf(id) === agent);
			const choice = dice.roll(4);
			if (choice < 2) slots.request(agent, dice.roll(2) === 0);
			else if (choice === 2) slots.release(agent);
			else slots.lend(agent, dice.pick(children), boundOf);
			slots.grant(boundOf);
			const exceeded = TREE.filter((id) => activeIn(slots, id) > boundOf(id));
			const besideFree = slots.waiting.filter(({ agent: waiting }) =>
				withAncestors(waiting).every((id) => activeIn(slots, id) < boundOf(id)),
			);
			const all = [...slots.active, ...slots.waiting.map((w) => w.agent)];
			const twice = all.filter((id, at) => all.indexOf(id) !== at);
			expect({ exceeded, besideFree, twice }).toEqual({ exceeded: [], besideFree: [], twice: [] });
		}
	}
});
