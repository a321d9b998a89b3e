import { expect, test } from "vitest";
import { isWithin, parentOf, withAncestors } from "../../../../src/core/agent.ts";
import {
	grantSlots,
	lendSlot,
	NO_SLOTS,
	releaseSlot,
	requestSlot,
	type Slots,
} from "../../../../src/supervisor/decide/slots.ts";
import { diceOf } from "../../dice.ts";

const atMost = (most: number) => () => most;

function waitingFor(...agents: string[]): Slots {
	return agents.reduce((slots, agent) => requestSlot(slots, agent, false), NO_SLOTS);
}

test("slots are given in the order of asking, as many as there are", () => {
	const { slots, granted } = grantSlots(waitingFor("1.3", "1.1", "1.2"), atMost(2));
	expect(granted).toEqual(["1.3", "1.1"]);
	expect(slots).toEqual({ active: ["1.3", "1.1"], waiting: [{ agent: "1.2", isReturning: false }] });
});

test("an agent that was active before goes ahead of those that were not", () => {
	const slots = requestSlot(waitingFor("1.1", "1.2"), "1.3", true);
	expect(grantSlots(slots, atMost(1)).granted).toEqual(["1.3"]);
});

test("asking twice, or with a slot in hand, changes nothing", () => {
	const { slots } = grantSlots(waitingFor("1", "1.1"), atMost(1));
	expect(requestSlot(slots, "1", false)).toBe(slots);
	expect(requestSlot(slots, "1.1", true)).toBe(slots);
});

test("a slot given back is free, and giving it back again frees no second one", () => {
	const { slots } = grantSlots(waitingFor("1.1", "1.2", "1.3"), atMost(1));
	const released = releaseSlot(releaseSlot(slots, "1.1"), "1.1");
	expect(grantSlots(released, atMost(1)).granted).toEqual(["1.2"]);
});

test("a bound on a subtree binds only that subtree: others go past those who wait there", () => {
	const bounds: Record<string, number> = { "1": 3, "1.1": 1 };
	const { slots, granted } = grantSlots(waitingFor("1.1.1", "1.1.2", "1.2"), (id) => bounds[id] ?? 9);
	expect(granted).toEqual(["1.1.1", "1.2"]);
	expect(slots.waiting).toEqual([{ agent: "1.1.2", isReturning: false }]);
});

test("a lent slot goes to the child at once, ahead of all who wait longer", () => {
	const { slots } = grantSlots(waitingFor("1.1", "1.2", "1.1.1"), atMost(1));
	expect(lendSlot(slots, "1.1", "1.1.1", atMost(1))).toEqual({
		active: ["1.1.1"],
		waiting: [{ agent: "1.2", isReturning: false }],
	});
});

test("a lender without a child that waits gives its slot back", () => {
	const { slots } = grantSlots(waitingFor("1.1", "1.2"), atMost(1));
	expect(lendSlot(slots, "1.1", "", atMost(1))).toEqual(releaseSlot(slots, "1.1"));
});

test("who has no slot lends none, and asks for none either while its children live", () => {
	const { slots } = grantSlots(waitingFor("1.2", "1.1", "1.1.1"), atMost(1));
	expect(lendSlot(slots, "1.1", "1.1.1", atMost(1))).toEqual({
		active: ["1.2"],
		waiting: [{ agent: "1.1.1", isReturning: false }],
	});
});

test("a slot is not lent to a child whose own bound is used up by an agent below it", () => {
	const slots: Slots = { active: ["1", "1.1.1"], waiting: [{ agent: "1.1", isReturning: true }] };
	const bounds: Record<string, number> = { "1": 2, "1.1": 1 };
	expect(lendSlot(slots, "1", "1.1", (id) => bounds[id] ?? 9)).toEqual({
		active: ["1.1.1"],
		waiting: [{ agent: "1.1", isReturning: true }],
	});
});

const TREE = ["1", "1.1", "1.2", "1.1.1", "1.1.2", "1.2.1", "1.2.2", "1.1.1.1"];

test("whatever is asked, lent and given back, no bound above an agent is exceeded and nobody waits beside a free slot", () => {
	for (let seed = 1; seed <= 30; seed++) {
		const dice = diceOf(seed);
		const bounds = new Map(TREE.map((id) => [id, 1 + dice.roll(3)]));
		const boundOf = (id: string) => bounds.get(id) ?? 9;
		const activeIn = (slots: Slots, root: string) => slots.active.filter((id) => isWithin(id, root)).length;
		let slots = NO_SLOTS;
		for (let step = 0; step < 40; step++) {
			const agent = dice.pick(TREE) ?? "1";
			const children = TREE.filter((id) => parentOf(id) === agent);
			const choice = dice.roll(4);
			if (choice < 2) slots = requestSlot(slots, agent, dice.roll(2) === 0);
			else if (choice === 2) slots = releaseSlot(slots, agent);
			else slots = lendSlot(slots, agent, dice.pick(children) ?? "", boundOf);
			slots = grantSlots(slots, boundOf).slots;
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
