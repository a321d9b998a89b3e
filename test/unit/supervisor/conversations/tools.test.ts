import { expect, test } from "vitest";
import { TOOLS } from "../../../../src/supervisor/conversations/system-prompt.ts";

test("the one tool tells the model what it must know", () => {
	const [tool] = TOOLS;
	expect(TOOLS).toHaveLength(1);
	expect(tool?.name).toBe("bash");
	expect(tool?.input_schema.required).toEqual(["command"]);
	for (const fact of [
		"Only files stay",
		"stdin is empty",
		"20,000",
		"120",
		"600",
		'agent "task"',
		"wait",
		"at the same time",
	])
		expect(tool?.description).toContain(fact);
});
