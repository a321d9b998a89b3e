import { expect, test } from "vitest";
import type { ModelFailure } from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { mayFallBack, nextModel } from "../../../../src/supervisor/decide/turns.ts";

const FAILURE: ModelFailure = { is: "failure", reason: "no", exitCode: 75, usage: NO_USAGE };

test("the models take over in their order, each once, and one without a price keeps no budget in dollars", () => {
	const run = { ...EMPTY_RUN, model: "claude-opus-5" };
	const next = (model: string, models: string[], limits = {}) =>
		nextModel(withRoot({ ...run, model }, limits), "1", { models, prices: [] });
	const models = ["claude-opus-5", "openai/gpt-5", "lab/x"];
	expect(["claude-haiku-4-5", ...models].map((model) => next(model, models))).toEqual([
		...["claude-opus-5", "openai/gpt-5", "lab/x", undefined],
	]);
	expect(next("openai/gpt-5", models, { maxBudgetUsd: 1 })).toBeUndefined();
	expect(next("shell", [])).toBeUndefined();
});

test("another model may do better when a service does not answer or has none of that name", () => {
	expect(mayFallBack({ ...FAILURE, retry: { isRateLimit: false } })).toBe(true);
	expect(mayFallBack({ ...FAILURE, isModelGone: true })).toBe(true);
	expect(mayFallBack(FAILURE)).toBe(false);
});

function withRoot(run: typeof EMPTY_RUN, limits: object) {
	const process = { pid: 1, startTime: "1" };
	const { model } = run;
	return reduce(run, {
		event: "agent_joined",
		at: 1,
		agent: "1",
		...process,
		task: "t",
		model,
		limits: { ...run.limits, ...limits },
	});
}
