import { expect, onTestFinished, test, vi } from "vitest";
import { Suspension } from "../../../../src/tui/terminal/suspension.ts";

/** Keeps what is done, in its order. `isInForeground` is what the test says it is. */
function begin() {
	vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setImmediate"] });
	onTestFinished(() => void vi.useRealTimers());
	const done: string[] = [];
	let ask = () => {};
	const note = (what: string) => () => void done.push(what);
	const job = {
		isFront: true,
		onStopAsked: (act: () => void) => {
			ask = act;
			return note("no more listening");
		},
		stop: (whole: boolean) => void done.push(whole ? "stop all" : "stop"),
		isInForeground: () => job.isFront,
		wakeForSignals: () => {
			done.push("wake");
			return note("no more waking");
		},
	};
	const screen = { suspend: note("give back"), lose: note("lose"), resume: note("take") };
	const suspension = new Suspension(screen, job);
	return { suspension, job, ask: () => ask(), did: () => done.splice(0) };
}

test("the terminal is given back before the process stops, and taken once when it goes on in the foreground", () => {
	const { suspension, did } = begin();
	suspension.suspend();
	expect(did()).toEqual(["give back", "wake", "stop all"]);
	suspension.goOn();
	expect(did()).toEqual(["no more waking", "take"]);
	vi.advanceTimersByTime(1_000);
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
	vi.advanceTimersByTime(1_000);
	expect(did()).toEqual([]);
	job.isFront = true; // by fg, which tells nothing to a process that runs
	vi.advanceTimersByTime(200);
	expect(did()).toEqual(["no more waking", "take"]);
	vi.advanceTimersByTime(1_000);
	expect(did()).toEqual([]);
});

test("a process that the system does not stop takes the terminal again by itself", () => {
	const { suspension, did } = begin();
	suspension.suspend();
	did();
	vi.advanceTimersByTime(199);
	expect(did()).toEqual([]);
	vi.advanceTimersByTime(2);
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

test("while another program has the terminal a stop stops this process only, and nothing touches the terminal", () => {
	// Seen to fail without it: after Ctrl-Z and fg in the pager the dashboard drew over it, and the pager then left it without raw mode.
	const { suspension, job, ask, did } = begin();
	suspension.lend();
	ask();
	expect(did()).toEqual(["give back", "wake", "stop"]);
	suspension.goOn();
	vi.advanceTimersByTime(1_000);
	expect(did()).toEqual(["no more waking"]);
	job.isFront = false;
	suspension.returned();
	vi.advanceTimersByTime(1_000);
	expect(did()).toEqual([]);
	job.isFront = true;
	vi.advanceTimersByTime(201);
	expect(did()).toEqual(["take"]);
});
