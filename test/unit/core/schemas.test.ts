import type * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import type { Agent } from "../../../src/core/agent.ts";
import type { RunState } from "../../../src/core/run-state.ts";
import type { RunStateSchema } from "../../../src/core/schemas/run-state.ts";

type Sent = v.InferOutput<typeof RunStateSchema>;

test("a watcher is sent every key of a run's state, and of its agents", () => {
	expectTypeOf<keyof Sent>().toEqualTypeOf<keyof RunState>();
	expectTypeOf<keyof Sent["agents"][string]>().toEqualTypeOf<keyof Agent>();
});
