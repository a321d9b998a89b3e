import { expect, test } from "vitest";
import { AgentRegistry } from "../../../../src/supervisor/run/agent-registry.ts";
import { agentFile } from "../../record/fabricate.ts";

const CONNECTION = { number: 1, send: () => {}, refuse: () => {}, close: () => {} };

test("of an agent that has ended its bounds and its token stay known, and not its prompt", () => {
	const registry = new AgentRegistry();
	const asking = { mode: "always", ask: [], deny: [] } as const;
	const file = agentFile({ asking, instructions: "be quick", rolePrompt: "you review", jsonSchema: "{}" });
	registry.add({ id: "1.1", token: "t", compactAt: 0.8, file }, CONNECTION);
	registry.ended("1.1");
	const { instructions: _, rolePrompt: __, jsonSchema: ___, ...bounds } = file;
	expect(registry.get("1.1")?.file).toEqual({ ...bounds, task: "", system: "" });
	expect(registry.agentOfToken("t")).toBe("1.1");
});
