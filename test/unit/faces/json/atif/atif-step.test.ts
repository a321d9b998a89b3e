import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../../src/core/model/usage.ts";
import { metricsOf } from "../../../../../src/faces/json/atif/atif-steps.ts";

test("what is not known is absent, never nothing", () => {
	const none = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
	expect(metricsOf({ usage: NO_USAGE, costUsd: 0 })).toEqual({ ...none, cost_usd: 0 });
	expect(metricsOf({ usage: { ...NO_USAGE, input: 3 }, costUsd: null })).toEqual({ ...none, prompt_tokens: 3 });
	expect(metricsOf({ usage: { ...NO_USAGE, uncounted: 2 }, costUsd: null })).toEqual({ extra: { uncounted_calls: 2 } });
});
