import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { decide } from "../../../../src/supervisor/decide/decide.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import type { CommandPermission } from "../../../../src/supervisor/permissions/command-permission.ts";
import { OutsideRuns } from "../../../../src/supervisor/permissions/outside-runs.ts";
import { Questioner } from "../../../../src/supervisor/permissions/questioner.ts";
import type { Sandboxes } from "../../../../src/supervisor/sandboxes/sandboxes.ts";
import type { FromOutsideRunner, ToOutsideRunner } from "../../../../src/wire/outside-messages.ts";
import { joined, runOf } from "../../core/run-of.ts";
import { fakeCore, part } from "../fake-core.ts";

const temporary = () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "agentree-outside-")));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
};

function outsideOf({ mode, waits = true }: { mode?: "never" | "skipped"; waits?: boolean } = {}) {
	const directory = temporary();
	const state = initialState(runOf(joined("1"), joined("1.1"), joined("1.2")));
	const dispatch = (input: Parameters<typeof decide>[1]) => void decide(state, input, 5);
	const runners: { told: ToOutsideRunner[]; say: (message: FromOutsideRunner) => void; die: () => void }[] = [];
	const startOutside = () => {
		const told: ToOutsideRunner[] = [];
		let say = (_: FromOutsideRunner) => {};
		let die = () => {};
		const over = new Promise<undefined>((resolve) => {
			die = () => resolve(undefined);
		});
		runners.push({ told, say: (message) => say(message), die });
		const onSaid = (listener: (message: FromOutsideRunner) => void) => {
			say = listener;
		};
		return { over, say: (message: ToOutsideRunner) => void told.push(message), onSaid };
	};
	const { core, emitted: events } = fakeCore({
		...{ state, dispatch, directory, machine: { startOutside } },
		settings: { socket: join(directory, "r.sock"), home: directory, asking: { waits, ...(mode && { mode }) } },
		registry: { get: (id) => ({ id, token: "t", file: {} }) as never },
	});
	const questioner = new Questioner(core);
	const permission = part<CommandPermission>({
		denialOf: (_, command) => (command.startsWith("rm") ? "denied" : undefined),
		modeOf: () => mode ?? "edge",
	});
	const sandboxes = part<Sandboxes>({ sandboxOf: () => expect.unreachable(), givePipe: (_, name) => name });
	const outside = new OutsideRuns(core, { questioner, permission, sandboxes }, async () => undefined);
	const client = () => {
		const heard: { say: string }[] = [];
		return { heard, send: (message: { say: string }) => void heard.push(message) };
	};
	const ask = (command: string, agent = "1.1", asker = client()) => {
		outside.ask(asker, { say: "run_outside", command, directory }, agent);
		return asker;
	};
	const answer = (question: number, is: "allow" | "always" | "no") =>
		questioner.answer(client(), { say: "answer", question, answer: { is } });
	const said = (heard: readonly { say: string }[]) => heard.map(({ say }) => say);
	return { directory, state, events, outside, runners, client, ask, answer, said };
}

test("a command runs once, however often who asked says that it is ready, and not before that", async () => {
	const { ask, answer, outside, runners, events, said } = outsideOf();
	const asker = ask("make");
	outside.begin(asker);
	answer(1, "allow");
	outside.begin(asker);
	await turn();
	const [runner] = runners;
	outside.begin(asker);
	expect(runner?.told.map(({ say }) => say)).toEqual(["order"]);
	runner?.say({ say: "prepared" });
	outside.begin(asker);
	outside.begin(asker);
	expect(runner?.told.map(({ say }) => say)).toEqual(["order", "run"]);
	runner?.say({ say: "started", pid: 9, startTime: "8" });
	runner?.say({ say: "ended", end: { by: "exit", code: 0 }, outputBytes: 3, leftRunning: [] });
	runner?.die();
	await turn();
	outside.begin(asker);
	expect(said(asker.heard)).toEqual(["asked", "outside_opened", "outside_ended"]);
	expect(events.map(({ event }) => event)).toEqual(["outside_started", "outside_ended"]);
	expect(runners).toHaveLength(1);
});

test("who goes away ends it, in each of its states, and so does the death of what runs it", async () => {
	const { ask, answer, outside, runners, state, said } = outsideOf();
	outside.closed(ask("asking"));
	expect(state.run.questions).toEqual([]);
	const early = ask("early");
	answer(2, "allow");
	outside.closed(early); // while its pipe is made
	await turn();
	expect(runners).toEqual([]);
	const late = ask("late");
	answer(3, "allow");
	await turn();
	outside.closed(late);
	expect(runners[0]?.told.map(({ say }) => say)).toEqual(["order", "stop"]);
	const killed = ask("killed");
	answer(4, "allow");
	await turn();
	runners[1]?.die();
	await turn();
	expect(said(killed.heard)).toEqual(["asked", "outside_ended"]);
	expect(killed.heard.at(-1)).toMatchObject({ end: { by: "not_started" } });
});

test("always holds for this text in this directory, for the agent and those below it", async () => {
	const { ask, answer, runners, state, said } = outsideOf();
	ask("make x", "1.1");
	answer(1, "always");
	await turn();
	expect(state.run.grants).toMatchObject([{ agent: "1.1", rule: "Bash(make x)" }]);
	expect(said(ask("make x", "1.1").heard)).toEqual([]);
	for (const [command, agent] of [
		["make x y", "1.1"],
		["make  x", "1.1"],
		["make x", "1.2"],
		["make x", "1"],
	] as const)
		expect(said(ask(command, agent).heard)).toEqual(["asked"]);
	await turn();
	expect(runners).toHaveLength(2);
});

test("a rule that denies, a run that asks nobody, and one that skips permissions", async () => {
	for (const { told, ...run } of [
		{ told: ["unanswered"], mode: "never" as const },
		{ told: ["unanswered"], waits: false },
		{ told: [], mode: "skipped" as const },
	]) {
		const { ask, runners, said } = outsideOf(run);
		expect(said(ask("make").heard)).toEqual(told);
		expect(said(ask("rm x").heard)).toEqual(["unanswered"]);
		await turn();
		expect(runners).toHaveLength(told.length === 0 ? 1 : 0);
	}
});

test("only so many run at once: another one is not started, and says why", async () => {
	const { ask, runners } = outsideOf({ mode: "skipped" });
	const askers = Array.from({ length: 17 }, (_, n) => ask(`make ${n}`));
	await turn();
	expect(runners).toHaveLength(16);
	const reason = "16 commands are already running outside the sandbox: ask again when one has ended";
	expect(askers[16]?.heard).toEqual([{ say: "outside_ended", end: { by: "not_started", reason }, leftRunning: [] }]);
	runners[3]?.say({ say: "ended", end: { by: "exit", code: 0 }, outputBytes: 0, leftRunning: [] });
	ask("make again");
	await turn();
	expect(runners).toHaveLength(17);
});
