/** Calls of one run to several services. */
import { expect, test } from "vitest";
import {
	DEFAULT_RETRY_POLICY,
	type Model,
	type ModelFailure,
	type ModelOutcome,
} from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { Gateway } from "../../../../src/supervisor/calls/gateway.ts";
import { asksWith, FIRST } from "../../../fixtures/fake-call.ts";
import { handClock } from "../../hand-clock.ts";

const REPLY: ModelOutcome = { is: "reply", content: [], stopReason: "end_turn", usage: NO_USAGE, model: "m" };
const FAILURE: ModelFailure = { is: "failure", reason: "no", exitCode: 75, usage: NO_USAGE };
const BUSY: ModelFailure = { ...FAILURE, retry: { isRateLimit: true, afterMs: 9000 } };
const REFUSED: ModelFailure = { ...FAILURE, exitCode: 77, stopsRun: true };

/** `answers`: of each service, which has one model `SERVICE/m`. */
function open(answers: Record<string, ModelOutcome[]>) {
	const clock = handClock();
	const log: unknown[] = [];
	const load = async (name: string): Promise<Model> => {
		const service = name.split("/")[0] ?? "";
		return { name, service, ask: async () => answers[service]?.shift() ?? REPLY, close: () => {} };
	};
	const gateway = new Gateway({
		...{ load, retryPolicy: DEFAULT_RETRY_POLICY, timer: clock, random: () => 0.5, runModel: "own/m" },
		...{ costOf: () => 0, onSlowed: () => log.push("slowed") },
	});
	const call = (agent: string, model: string) =>
		gateway.call(
			{
				...{ agent, model, joinedAt: 0, task: "t", turn: 1, kind: "turn", request: asksWith(FIRST) },
				...{ lastOutput: async () => undefined, onDelta: () => {} },
			},
			{
				...{ held: () => {}, retrying: () => log.push(`${agent} retries`), cancelled: () => {} },
				answered: (outcome) => log.push([agent, outcome.is === "failure" ? (outcome.stopsRun ?? "failed") : "reply"]),
			},
		);
	return { clock, log, call };
}

// Seen to fail (1.1 waits for 9 s) with one rate limiter for all calls of the run.
test("a service that wants fewer calls holds up no calls to another", async () => {
	const { clock, log, call } = open({ own: [BUSY] });
	call("1", "own/m");
	await clock.run(() => log.length === 2);
	call("1.1", "other/m");
	await clock.pass(0);
	expect(log).toEqual(["slowed", "1 retries", ["1.1", "reply"]]);
});

test("a refused key ends the run only when it is that of the run's own service, or of the only one", async () => {
	const two = open({ own: [REPLY, REFUSED], other: [REFUSED] });
	two.call("1", "own/m");
	await two.clock.pass(0);
	two.call("1.1", "other/m");
	await two.clock.pass(0);
	two.call("1", "own/m");
	await two.clock.pass(0);
	expect(two.log).toEqual([
		["1", "reply"],
		["1.1", "failed"],
		["1", true],
	]);
	const one = open({ other: [REFUSED] });
	one.call("1.1", "other/m");
	await one.clock.pass(0);
	expect(one.log).toEqual([["1.1", true]]);
});
