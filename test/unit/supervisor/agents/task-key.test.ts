import { expect, test } from "vitest";
import { taskKey } from "../../../../src/supervisor/agents/pending-joins.ts";

test("tasks that differ in white space and case alone have one key, others have not", () => {
	const key = taskKey("Count the lines\nof every folder");
	expect(taskKey("  count THE lines of\t\tevery folder\n")).toBe(key);
	expect(taskKey("Count the lines of every folder!")).not.toBe(key);
	expect(taskKey("Countthe lines of every folder")).not.toBe(key);
});

test("what stands behind the first 200 characters counts, too", () => {
	const long = "x".repeat(300);
	expect(taskKey(`${long}a`)).not.toBe(taskKey(`${long}b`));
});
