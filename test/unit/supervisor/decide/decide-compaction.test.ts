import { expect, test } from "vitest";
import { joinedMessage, registeredAgent } from "../../../../src/supervisor/agents/agent-file.ts";
import { AgentInstructions } from "../../../../src/supervisor/agents/agent-instructions.ts";
import type { Worktrees } from "../../../../src/supervisor/agents/worktrees.ts";
import type { Join } from "../../../../src/wire/agent-messages.ts";
import type { RunSettings } from "../../../../src/wire/supervise-order.ts";
import { fakeCore, part } from "../fake-core.ts";
import { REQUEST, startScenario, told } from "./scenario.ts";

const NOTE = {
	...({ role: "note", note: "compaction", how: "summary", summary: "3 files", keptMessages: 2 } as const),
	...{ tokensBefore: 900, tokensAfter: 90 },
};

test("a call for a summary is no turn, may be made when all turns are used, and is made as it was asked for", () => {
	const run = startScenario({ maxTurns: 1 });
	run.root();
	run.ask("1");
	run.answer("1");
	const asked = run.dispatch({ is: "asked", agent: "1", request: REQUEST, kind: "compaction" });
	expect(asked.events).toMatchObject([{ event: "turn_started", turn: 1, isLast: false, purpose: "compaction" }]);
	expect(asked.effects).toMatchObject([{ do: "call", kind: "compaction", request: REQUEST }]);
	const answered = run.answer("1");
	expect(answered.events).toMatchObject([{ event: "turn_ended", turn: 1, purpose: "compaction" }]);
	expect(told(answered, "1")).toMatchObject([{ say: "answer" }]);
	expect(run.state().run.agents["1"]?.turns).toBe(1);
	expect(told(run.ask("1"), "1")).toMatchObject([{ say: "ask_refused", limit: "max-turns" }]);
});

test("the note of a compaction is an event with both counts", () => {
	const run = startScenario();
	run.root();
	run.ask("1");
	run.answer("1");
	const { events } = run.dispatch({ is: "recorded", agent: "1", entry: NOTE });
	expect(events).toEqual([
		{
			...{ event: "history_compacted", at: expect.any(Number), agent: "1", how: "summary" },
			...{ tokensBefore: 900, tokensAfter: 90 },
		},
	]);
	const agent = run.state().run.agents["1"];
	expect([agent?.compactions, agent?.contextTokens]).toEqual([1, 90]);
	const said = { role: "user", content: [] } as const;
	expect(run.dispatch({ is: "recorded", agent: "1", entry: { ...said, content: [] } }).events).toEqual([]);
});

test("the threshold comes from the agent's own command, else from above, else from the run; the model shell has none", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	const settings = { run: "r", task: "t", cwd: "/", model: "m", compactAt: 0.5 } as RunSettings;
	const member = (parent: Parameters<typeof registeredAgent>[3]["parent"], asked: Partial<Join>, of = settings) =>
		registeredAgent(
			parent === undefined ? "1" : "1.1",
			{ say: "join", pid: 1, pidNamespace: null, cwd: "/", limits: {}, ...asked },
			"t",
			{
				...{ settings: of, run: run.state().run, parent, agentInstructions, confinements, surroundings },
			},
		);
	const confinements = { of: () => undefined };
	const surroundings = { of: () => "At the start: a day." };
	const agentInstructions = new AgentInstructions(
		fakeCore().core,
		part<Worktrees>({ originOf: (directory) => directory }),
	);
	const { compactAt: _, ...without } = settings;
	const root = member(undefined, {});
	const own = member(root, { compactAt: 0.3 });
	const thresholds = [root, member(root, {}), own, member(own, {}), member(undefined, {}, without)];
	expect(thresholds.map(({ compactAt }) => compactAt)).toEqual([0.5, 0.5, 0.3, 0.3, 0.8]);
	const ofModel = (model: string) => ({ ...root, file: { ...root.file, model } });
	const told = [ofModel("m"), ofModel("shell")].map((one) =>
		joinedMessage(one, { directory: "a", shimDirectory: "s", pipes: [] }, { settings }),
	);
	expect(told.map(({ compactAt }) => compactAt)).toEqual([0.5, 0]);
});
