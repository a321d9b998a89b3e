import { expect, test } from "vitest";
import { isWithin, parentOf, withAncestors } from "../../../../src/core/model/agent.ts";
import { Slots } from "../../../../src/supervisor/decide/slots.ts";
import { diceOf } from "../../dice.ts";

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

test("a slot is not lent to a child whose own bound is used up by an agent below it", () => {
	const slots = granted(2, "1", "1.1.1");
	slots.request("1.1", true);
	const bounds: Record<string, number> = { "1": 2, "1.1": 1 };
	slots.lend("1", "1.1", (id) => bounds[id] ?? 9);
	expect(plain(slots)).toEqual({ active: ["1.1.1"], waiting: [{ agent: "1.1", isReturning: true }] });
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
