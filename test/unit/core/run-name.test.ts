import { expect, test } from "vitest";
import { MAX_NAME_CHARS, runName } from "../../../src/core/run/run-id.ts";
import { reduce } from "../../../src/core/run/run-state.ts";
import { runOf } from "./run-of.ts";

test.each([
	["  the\n\tparser ", "the parser"],
	["a\u0000\u001b[2Jb\ud800", "a [2Jb\ufffd"],
	["", ""],
	["x".repeat(MAX_NAME_CHARS), "x".repeat(MAX_NAME_CHARS)],
	["x".repeat(MAX_NAME_CHARS + 1), undefined],
])("%j is the name %j", (text, name) => expect(runName(text)).toBe(name));

test("a run has the name that it was given last, and an empty one takes it away", () => {
	const named = [{ event: "run_named", at: 1, name: "a" } as const, { event: "run_named", at: 2, name: "b" } as const];
	const run = named.reduce(reduce, runOf());
	expect(run.name).toBe("b");
	expect(reduce(run, { event: "run_named", at: 3, name: "" })).not.toHaveProperty("name");
});
