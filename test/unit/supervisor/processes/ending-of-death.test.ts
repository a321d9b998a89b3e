import { expect, test } from "vitest";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { endingOf, parseExitCode } from "../../../../src/supervisor/processes/ending-of-death.ts";

const inState = (state: string): ProcessInfo => {
	return { pid: 7, startTime: "9", parent: 1, group: 7, session: 7, state, name: "node" };
};
const INFERRED = { by: "killed", signal: "SIGKILL", isInferred: true };

test("a zombie tells the signal that killed it, with or without a core", () => {
	expect(endingOf(inState("Z"), 9)).toEqual({ by: "killed", signal: "SIGKILL" });
	expect(endingOf(inState("Z"), 11 | 0x80)).toEqual({ by: "killed", signal: "SIGSEGV" });
	expect(endingOf(inState("Z"), 40)).toEqual({ by: "killed", signal: "signal 40" });
});

test("a process that is not over yet tells its signal, too, unless it was only stopped", () => {
	expect(endingOf(inState("R"), 9)).toEqual({ by: "killed", signal: "SIGKILL" });
	expect(endingOf(inState("T"), 19)).toBeUndefined();
	expect(endingOf(inState("S"), 0)).toBeUndefined();
});

test("for a process that is gone, or whose signal the system does not tell, SIGKILL is inferred, and said to be", () => {
	expect(endingOf(undefined, undefined)).toEqual(INFERRED);
	expect(endingOf(undefined, 15)).toEqual(INFERRED);
	expect(endingOf(inState("Z"), undefined)).toEqual(INFERRED);
	expect(endingOf(inState("S"), undefined)).toBeUndefined();
});

test("an agent that ended by itself without a word has crashed, with its exit status", () => {
	const reason = "its process (pid 7) ended with exit status 134 before it had finished";
	expect(endingOf(inState("Z"), 134 << 8)).toEqual({ by: "crashed", reason });
});

test("the exit code is the 52nd field, whatever stands in the name", () => {
	const fields = Array.from({ length: 50 }, (_, i) => String(i + 3));
	expect(parseExitCode(`7 (a) b (c\n) ${fields.join(" ")}\n`)).toBe(52);
	expect(parseExitCode("")).toBeUndefined();
});
