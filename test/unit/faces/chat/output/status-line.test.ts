import { expect, test } from "vitest";
import { ROOT } from "../../../../../src/core/model/agent.ts";
import { type StatusOf, statusLine } from "../../../../../src/faces/chat/output/status-line.ts";
import { displayWidth } from "../../../../../src/text/width/width.ts";
import { Scenario, styledOf, text, textOf } from "./scenario.ts";

function status(scenario: Scenario): StatusOf {
	return {
		run: scenario.run,
		now: scenario.now,
		effort: "high",
		directory: "~/src/agentree/packages/parser",
		branch: "fix-lexer",
	};
}

function busy(): Scenario {
	const scenario = new Scenario();
	scenario.turn(1);
	scenario.answers(1, [text("x")]);
	for (const n of [1, 2, 3]) scenario.joins(`1.${n}`, `task ${n}`);
	scenario.turn(1, "1.1");
	return scenario;
}

test("all that there is to say stands in one line, where there is room", () => {
	expect(textOf(statusLine(status(new Scenario()), 120))).toBe(
		"model-x  high  ~/src/agentree/packages/parser  (fix-lexer)",
	);
	expect(textOf(statusLine(status(busy()), 120))).toBe(
		"model-x  high  ~/src/agentree/packages/parser  (fix-lexer)  0 % context  1.1k tokens  $0.0100  3 agents, 2 waiting",
	);
});

test("what matters least goes first, and no width is too small", async () => {
	const scenario = busy();
	const lines = [100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1].map((columns) => {
		const line = textOf(statusLine(status(scenario), columns));
		expect(displayWidth(line)).toBeLessThanOrEqual(columns);
		return `${String(columns).padStart(3)} ${line}`;
	});
	await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("screens/status-line.txt");
});

test("a context that is nearly full, and a limit that is nearly reached, stand out", () => {
	const scenario = new Scenario();
	scenario.turn(1);
	scenario.answers(1, [text("x")]);
	const root = scenario.run.agents[ROOT];
	if (root === undefined) throw new Error("no root");
	const limits = { ...scenario.run.limits, maxBudgetUsd: 0.012, maxTotalTurns: 1 };
	const agents = { ...scenario.run.agents, [ROOT]: { ...root, contextTokens: 190_000 } };
	const line = styledOf(
		statusLine({ run: { ...scenario.run, agents, limits }, now: scenario.now, directory: "~" }, 120),
	);
	expect(line).toContain("<warn 95 % context>");
	expect(line).toContain("<bad 1 of 1 turns>  <warn $0.01 of $0.012>");
});

test("names from outside obey nothing", () => {
	const { run } = new Scenario();
	const line = statusLine({ run, now: 0, directory: "~/\u001b[2Jx", branch: "a\u202eb" }, 120);
	expect(textOf(line)).toBe("model-x  ~/x  (ab)");
});
