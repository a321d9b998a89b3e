/**
 * Trees that are started and killed at random for a while (`npm run soak`: 2 minutes; AGENTREE_SOAK_SECONDS,
 * AGENTREE_SOAK_SEED to play one again). After each round: nothing survives, no slot is lost, all files parse, and
 * `ps`, the events and /proc count the same agents.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isOver } from "../../../src/core/model/agent.ts";
import { agentsInOrder } from "../../../src/core/run/run-state.ts";
import { isAlive, procTable } from "../../../src/processes/table/process-table.ts";
import { loadRunState } from "../../../src/record/load-run.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { type Dice, diceOf } from "../../unit/dice.ts";
import { census } from "../census.ts";
import { type Program, runProgram, startProgram } from "../program.ts";

const SECONDS = Number(process.env.AGENTREE_SOAK_SECONDS ?? 120);
const SEED = Number(process.env.AGENTREE_SOAK_SEED ?? Date.now() % 1_000_000);
const WAIT = { timeout: 20_000, interval: 50 };

const LEAVES = [
	"sleep 600",
	"(setsid sleep 601 >/dev/null 2>&1 &); sleep 600",
	"trap '' TERM; while :; do sleep 0.2; done",
	"nohup sleep 602 >/dev/null 2>&1 & sleep 600",
	"yes | head -c 3000000 >/dev/null; sleep 600",
];

interface Tree {
	task: string;
	agents: number;
}

function randomTree(dice: Dice, depth: number, leaves: readonly string[]): Tree {
	if (depth === 0 || dice.roll(4) === 0) return { task: dice.pick(leaves) ?? "true", agents: 1 };
	const children = Array.from({ length: 1 + dice.roll(3) }, () => randomTree(dice, depth - 1, leaves));
	const starts = children.map(({ task }) => `agent '${task.replaceAll("'", "'\\''")}' &`);
	return { task: `${starts.join(" ")} wait`, agents: 1 + children.reduce((sum, { agents }) => sum + agents, 0) };
}

test(
	`trees that are killed at random leave nothing behind (seed ${SEED})`,
	async () => {
		const dice = diceOf(SEED);
		const until = Date.now() + SECONDS * 1000;
		let rounds = 0;
		for (; Date.now() < until; rounds++) await (dice.roll(3) === 0 ? slotRound(dice) : killRound(dice));
		console.log(`${rounds} rounds, seed ${SEED}`);
	},
	(SECONDS + 120) * 1000,
);

/** A tree that waits, one death in it, then the end of the run in one of several ways. */
async function killRound(dice: Dice): Promise<void> {
	const { task, agents } = randomTree(dice, 3, LEAVES);
	const program = startProgram(["run", "--max-concurrency", "64", "--model", "shell", task]);
	const joined = () => program.events().filter(({ event }) => event === "agent_joined").length;
	await vi.waitFor(() => expect(joined()).toBe(agents), WAIT);
	await vi.waitFor(() => countsAgree(program), WAIT); // a fork that has not become its program yet has its parent's name
	const victim = dice.pick(census(program));
	if (victim !== undefined) endByPid(victim.pid);
	await vi.waitFor(() => countsAgree(program), WAIT);
	const end = dice.roll(5);
	if (end === 0) program.kill("SIGKILL");
	if (end === 1) program.kill("SIGINT");
	if (end === 2) program.kill("SIGTERM");
	if (end === 3) await runProgram(["stop"], { home: program.home });
	if (end === 4) await runProgram(["kill"], { home: program.home });
	await program.ended;
	await nothingIsLeft(program);
}

/** Few slots, short tasks, agents that are killed while they work: the run still comes to its end. */
async function slotRound(dice: Dice): Promise<void> {
	const { task } = randomTree(dice, 3, ["sleep 0.1", "echo x", "sleep 0.3"]);
	const program = startProgram([
		"run",
		"--max-concurrency",
		String(1 + dice.roll(2)),
		"--model",
		"shell",
		`${task}; sleep 0.2`,
	]);
	const isOverNow = () => program.events().some(({ event }) => event === "run_ended");
	await vi.waitFor(() => {
		const agents = census(program).filter(({ name }) => /^agent 1\./.test(name));
		const victim = dice.pick(agents);
		if (victim !== undefined && dice.roll(8) === 0) endByPid(victim.pid);
		expect(isOverNow()).toBe(true);
	}, WAIT);
	expect((await program.ended).code).toBe(0);
	await nothingIsLeft(program);
}

/** `ps`, the events and the processes themselves know the same number of living agents. */
async function countsAgree(program: Program): Promise<void> {
	const { state } = loadRunState(await program.runDirectory(), (process) => isAlive(procTable, process));
	const byEvents = agentsInOrder(state).filter((agent) => !isOver(agent)).length;
	const byProcesses = census(program).filter(({ name }) => /^agent 1(\.|$)/.test(name)).length;
	const { stdout } = await runProgram(["ps", "--json"], { home: program.home });
	const byPs = livingInJson(JSON.parse(stdout).flatMap(({ agents }: { agents: AgentJson[] }) => agents));
	expect({ byEvents, byPs }).toEqual({ byEvents: byProcesses, byPs: byProcesses });
}

interface AgentJson {
	state: string;
	children: AgentJson[];
}

function livingInJson(agents: readonly AgentJson[]): number {
	const isAlive = ({ state }: AgentJson) => ["queued", "thinking", "running", "waiting"].includes(state);
	return agents.reduce((sum, agent) => sum + (isAlive(agent) ? 1 : 0) + livingInJson(agent.children), 0);
}

async function nothingIsLeft(program: Program): Promise<void> {
	await vi.waitFor(() => expect(census(program)).toEqual([]), { timeout: 5_000, interval: 50 });
	const directory = await program.runDirectory();
	const { values, damage } = readEvents(directory);
	expect(damage).toEqual([]);
	const { state } = loadRunState(directory, (process) => isAlive(procTable, process));
	for (const agent of agentsInOrder(state)) {
		expect(agent.state.is).toBe("ended");
		expect(readTranscript(directory, agent.id).damage).toEqual([]);
	}
	const last = values.at(-1);
	if (last?.event === "run_ended") expect(last.survivors).toEqual([]);
	rmSync(join(program.home, "agentree"), { recursive: true, force: true });
}

function endByPid(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {} // it ended before the signal
}
