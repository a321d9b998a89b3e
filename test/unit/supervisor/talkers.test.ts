import { expect, test } from "vitest";
import type { ToWatcher } from "../../../src/protocol/watcher-messages.ts";
import { Talkers } from "../../../src/supervisor/talkers.ts";

function talker() {
	const heard: ToWatcher[] = [];
	return { heard, send: (message: ToWatcher) => void heard.push(message), close: () => {}, unsentBytes: 0 };
}

test("each is told how many others there are, whenever one comes or goes; who does not talk counts for nobody", () => {
	const [first, second, dashboard] = [talker(), talker(), talker()];
	const talkers = new Talkers();
	talkers.add(first);
	expect([talkers.isBeside(first), talkers.isBeside(dashboard)]).toEqual([false, true]);
	talkers.add(second);
	expect(talkers.isBeside(first)).toBe(true);
	talkers.remove(dashboard);
	talkers.remove(second);
	const others = (count: number) => ({ say: "talkers", others: count });
	expect([first.heard, second.heard]).toEqual([[others(0), others(1), others(0)], [others(1)]]);
	expect(talkers.isBeside(first)).toBe(false);
});
