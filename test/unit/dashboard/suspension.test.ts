import { expect, onTestFinished, test, vi } from "vitest";
import { Suspension } from "../../../src/dashboard/suspension.ts";

/** Keeps what is done, in its order. `isInForeground` is what the test says it is. */
function begin() {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate"] });
	onTestFinished(() => void vi.useRealTimers());
	const done: string[] = [];
	const note = (what: string) => () => void done.push(what);
	const job = {
		isFront: true,
		stop: note("stop"),
		isInForeground: () => job.isFront,
		wakeForSignals: () => {
			done.push("wake");
			return note("no more waking");
		},
	};
	const screen = { suspend: note("give back"), lose: note("lose"), resume: note("take") };
	const suspension = new Suspension(screen, job);
	return { suspension, job, did: () => done.splice(0) };
}

test("the terminal is given back before the process stops, and taken once when it goes on in the foreground", () => {
	const { suspension, did } = begin();
	suspension.suspend();
	expect(did()).toEqual(["give back", "wake", "stop"]);
	suspension.goOn();
	expect(did()).toEqual(["no more waking", "take"]);
	vi.runAllTimers();
	expect(did()).toEqual([]);
});

test("in the background the terminal is left alone until the process is in the foreground", () => {
	// Seen to fail without the look at the foreground: setting the terminal's modes stops the process once more (SIGTTOU), and
	// a signal that came with SIGCONT was never heard.
	const { suspension, job, did } = begin();
	suspension.suspend();
	did();
	job.isFront = false;
	suspension.goOn();
	vi.runAllTimers();
	expect(did()).toEqual([]);
	job.isFront = true;
	suspension.goOn();
	expect(did()).toEqual(["no more waking", "take"]);
});

test("a process that the system does not stop takes the terminal again by itself", () => {
	const { suspension, did } = begin();
	suspension.suspend();
	did();
	vi.advanceTimersByTime(199);
	expect(did()).toEqual([]);
	vi.runAllTimers();
	expect(did()).toEqual(["no more waking", "take"]);
});

test("a process that was stopped from outside takes the terminal anew, or leaves it to who has it", () => {
	const { suspension, job, did } = begin();
	suspension.goOn();
	expect(did()).toEqual(["lose", "take"]);
	job.isFront = false;
	suspension.goOn();
	expect(did()).toEqual(["lose"]);
});

test("a dashboard that closes wakes nobody any more", () => {
	const { suspension, did } = begin();
	suspension.suspend();
	did();
	suspension.close();
	vi.runAllTimers();
	expect(did()).toEqual(["no more waking"]);
});
