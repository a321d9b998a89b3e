import { expect, onTestFinished, test } from "vitest";
import { finishChat } from "../../../../src/cli/chat/chat.ts";
import type { ChatRun } from "../../../../src/cli/chat/chat-run.ts";
import { divertComplaints } from "../../../../src/terminal/print.ts";

// Seen to fail: the end of a conversation was an error about a file when somebody had removed its run.
test("of a run whose files are gone a conversation says so at its end", async () => {
	const said: string[] = [];
	onTestFinished(divertComplaints((line) => said.push(line)));
	const run = { run: "20261129-010000-aaaa", directory: "/none/run", leave: () => said.push("left") };
	const stop = () => Promise.reject(new Error("nothing is there to be stopped"));
	expect(await finishChat({ by: "run_ended" }, run as unknown as ChatRun, stop)).toBe(75);
	expect(said).toEqual(["left", "agent: run aaaa cannot be read: its files in /none/run were removed or damaged"]);
});
