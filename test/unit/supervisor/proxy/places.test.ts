import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { Places } from "../../../../src/supervisor/proxy/host-proxy.ts";

class FakeSocket extends EventEmitter {
	isOpen = true;
	destroy(): void {
		if (this.isOpen) this.emit("close");
		this.isOpen = false;
	}
}

/** Takes a place for a connection of the agent; undefined when it gets none. */
function taking(places: Places) {
	return (agent: string) => {
		const socket = new FakeSocket();
		const place = places.take(agent, socket as unknown as Socket);
		return place === undefined ? undefined : { place, socket };
	};
}

test("a place is free when all that holds it is closed", () => {
	const places = new Places({ ofAgent: 1, ofAll: 9 });
	const take = taking(places);
	const first = take("1");
	const outgoing = new FakeSocket();
	if (first !== undefined) places.hold(first.place, outgoing as unknown as Socket);
	first?.socket.destroy();
	expect(take("1")).toBeUndefined();
	outgoing.destroy();
	expect(take("1")).toBeDefined();
});

test("where all are taken, the oldest of the agent with most of them makes room for one that has fewer", () => {
	const places = new Places({ ofAgent: 4, ofAll: 6 });
	const take = taking(places);
	const [a, b] = [Array.from({ length: 4 }, () => take("1")), Array.from({ length: 2 }, () => take("1.1"))];
	expect(take("1")).toBeUndefined();
	const c = [take("1.2"), take("1.2"), take("1.2")];
	const isOpen = (all: typeof a) => all.map((one) => one?.socket.isOpen);
	expect([isOpen(a), isOpen(b), isOpen(c)]).toEqual([
		[false, false, true, true],
		[true, true],
		[true, true, undefined],
	]);
	places.endAll();
	expect([isOpen(a), isOpen(b), isOpen(c)].flat().includes(true)).toBe(false);
});
