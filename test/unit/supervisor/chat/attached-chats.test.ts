import { expect, test } from "vitest";
import { AttachedChats } from "../../../../src/supervisor/chat/attached-chats.ts";
import type { ToWatcher } from "../../../../src/wire/watcher-messages.ts";

function chatRequests() {
	const heard: ToWatcher[] = [];
	return { heard, send: (message: ToWatcher) => void heard.push(message), close: () => {}, unsentBytes: 0 };
}

test("each is told how many others there are, whenever one comes or goes; who does not talk counts for nobody", () => {
	const [first, second, dashboard] = [chatRequests(), chatRequests(), chatRequests()];
	const attachedChats = new AttachedChats();
	attachedChats.add(first);
	expect([attachedChats.isBeside(first), attachedChats.isBeside(dashboard)]).toEqual([false, true]);
	attachedChats.add(second);
	expect(attachedChats.isBeside(first)).toBe(true);
	attachedChats.remove(dashboard);
	attachedChats.remove(second);
	const others = (count: number) => ({ say: "talkers", others: count });
	expect([first.heard, second.heard]).toEqual([[others(0), others(1), others(0)], [others(1)]]);
	expect(attachedChats.isBeside(first)).toBe(false);
});
