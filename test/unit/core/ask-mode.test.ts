import { expect, test } from "vitest";
import { narrowedMode } from "../../../src/core/ask-mode.ts";

test.each([
	["skipped", "never", "never"],
	["skipped", "edge", "edge"],
	["skipped", "always", "always"],
	["edge", "never", "never"],
	["edge", "edge", "edge"],
	["edge", "always", "always"],
	["never", "never", "never"],
	["never", "edge", "wider"],
	["never", "always", "closed"],
	["always", "never", "closed"],
	["always", "edge", "wider"],
	["always", "always", "always"],
	["closed", "never", "closed"],
	["closed", "edge", "wider"],
	["closed", "always", "closed"],
] as const)("below %s a wish for %s gives %s", (above, wished, expected) =>
	expect(narrowedMode(above, wished)).toBe(expected),
);
