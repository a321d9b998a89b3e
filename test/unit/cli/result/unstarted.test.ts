import { expect, test } from "vitest";
import { askedFormat, unstartedResult } from "../../../../src/cli/result/result-line.ts";

test.each<[string[], string]>([
	[["run", "--output-format", "json", "x"], "json"],
	[["--output-format=stream-json", "--nonsense"], "stream-json"],
	[["run", "--output-format", "text", "--output-format", "json"], "json"],
	[["run", "--output-format", "xml"], "text"],
	[["run", "--output-format"], "text"],
	[["run", "--", "--output-format", "json"], "text"],
	[["run", "say --output-format json"], "text"],
])("%j asks for %s", (args, format) => {
	expect(askedFormat(args)).toBe(format);
});

test("what did not start is an object as that of a run, without a run; as text it is nothing", () => {
	const why = { reason: "no key for \u001b[1mm", exitCode: 77 };
	const line = unstartedResult(["--output-format", "stream-json"], why);
	expect(line).not.toContain("\u001b");
	expect(JSON.parse(line)).toMatchObject({
		...{ type: "result", subtype: "error_during_execution", is_error: true, errors: [why.reason], exit_code: 77 },
		...{ result: "", session_id: null, agent_id: null, num_turns: 0, agents: 0, total_cost_usd: 0 },
	});
	expect(unstartedResult(["run"], why)).toBe("");
});
