import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { listenToSystem } from "../../../../src/tui/terminal/system-events.ts";

const NOBODY = { onSignal: () => {}, onContinue: () => {}, onUncaught: () => {} };

// Seen to fail: for a moment nobody caught SIGHUP, which the shell sends behind the system's, and that ended the process before its run.
test("the end of a terminal is caught at each moment, also while the listening ends", () => {
	const before = process.listeners("SIGHUP");
	const left: number[] = [];
	const count = (event: string | symbol) => void (event === "SIGHUP" && left.push(process.listenerCount("SIGHUP")));
	process.on("removeListener", count);
	onTestFinished(() => {
		process.off("removeListener", count);
		for (const listener of process.listeners("SIGHUP")) if (!before.includes(listener)) process.off("SIGHUP", listener);
	});
	const end = listenToSystem({ input: new PassThrough(), output: new PassThrough() }, NOBODY);
	end();
	expect(left.length).toBeGreaterThan(0);
	expect(Math.min(...left)).toBeGreaterThan(0);
	const caught = process.listenerCount("SIGHUP");
	expect(caught).toBeGreaterThan(0);
	listenToSystem({ input: new PassThrough(), output: new PassThrough() }, NOBODY)();
	expect(process.listenerCount("SIGHUP")).toBe(caught);
});
