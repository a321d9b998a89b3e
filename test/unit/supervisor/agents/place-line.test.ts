import { expect, test } from "vitest";
import { PlaceLine } from "../../../../src/supervisor/agents/pending-joins.ts";
import type { Join } from "../../../../src/wire/agent-messages.ts";
import { startScenario } from "../decide/scenario.ts";
import { fakeCore } from "../fake-core.ts";

/** Processes are named by their task, "1.1: b" is one below agent 1.1. */
function line() {
	const run = startScenario({ maxChildren: 1 });
	run.root();
	run.runs("1", 1);
	const started: string[] = [];
	const parentOf = ({ task = "" }: Pick<Join, "task">) =>
		({ is: "child", parent: task.split(":")[0] ?? "", pid: 1, startTime: "1" }) as const;
	const { core, clock } = fakeCore({ scenario: run, machine: { parentOf } });
	const places = new PlaceLine(core);
	const ask = (task: string, waitsForPlace?: true) =>
		places.take({ task, ...(waitsForPlace && { waitsForPlace }) } as Join, () => {
			started.push(task);
			run.child(task.split(":")[0] ?? "", 1);
		});
	return { clock, run, started, ask };
}

test("who waits for a place has its turn when one is free, in line for each parent; who does not is decided about at once", async () => {
	const { clock, run, started, ask } = line();
	ask("1: a", true);
	ask("1: b", true);
	ask("1: c", true);
	ask("1: d");
	await clock.pass(1_000);
	expect(started).toEqual(["1: a", "1: d"]);
	run.runs("1.1", 1);
	ask("1.1: x", true);
	await clock.pass(1_000);
	expect(started).toEqual(["1: a", "1: d", "1.1: x"]);
	run.finish("1.1.1");
	run.finish("1.1");
	await clock.pass(1_000);
	expect(started.slice(3)).toEqual(["1: b"]);
	run.finish("1.2");
	await clock.pass(1_000);
	expect(started.slice(3)).toEqual(["1: b", "1: c"]);
	expect(clock.timers()).toBe(0);
});

test("nobody waits below an agent that is being stopped, or that may have no children", async () => {
	const { clock, run, started, ask } = line();
	ask("1: a", true);
	ask("1: b", true);
	run.stop("1");
	await clock.pass(1_000);
	expect(started).toEqual(["1: a", "1: b"]); // to be refused
	expect(clock.timers()).toBe(0);
});
