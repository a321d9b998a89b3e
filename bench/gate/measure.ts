/** Measures one cell: agents join below a root that waits for them, take turns all at once, and some end. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { JOINING_NAME } from "../../src/core/run/cookie.ts";
import { CHILD_PIDS_FILE, FIRST_PID, type GateCell, type GateFigures, ROOT_PID_FILE, type Usage } from "./cell.ts";
import { SyntheticAgent } from "./synthetic-agent.ts";

const TURNS = 1_500;
const WARM_TURNS = 1_000;
const END_ROUNDS = 8;
const ENDS_AT_ONCE = 8;
const JOINS_AT_ONCE = 16;
const WAIT_MS = 60_000;
const MAX_CELL_MS = 180_000; // on a quiet machine the largest takes 10 s

type Wanted = Pick<GateCell, "slots" | "alive" | "table" | "hasBudget" | "service">;

let cells = 0;

/** `program`: the supervisor's. */
export function measureCell(wanted: Wanted, program: string): Promise<GateFigures> {
	return withCrowd(wanted, program, (crowd) => crowd.measure());
}

/** `work` gets the agents of a supervisor of its own, none of which has joined yet. */
export async function withCrowd<T>(wanted: Wanted, program: string, work: (crowd: Crowd) => Promise<T>): Promise<T> {
	const home = mkdtempSync(join(tmpdir(), "agentree-gate-"));
	const cell: GateCell = {
		...{ ...wanted, home, socket: join(home, "s"), rootScript: join(home, "root.sh") },
		...{ run: `20260101-000000-gate${process.pid}x${cells++}`, model: "claude-haiku-4-5" },
	};
	writeRootScript(cell);
	const supervisor = fork(program, [JSON.stringify(cell)], {
		cwd: home,
		execArgv: profiled(),
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const exited = once(supervisor, "exit");
	try {
		await Promise.race([once(supervisor, "message"), exited.then(() => Promise.reject(new Error("it did not start")))]);
		const tooLong = sleep(MAX_CELL_MS, undefined, { ref: false }).then(() =>
			Promise.reject(new Error("it takes too long")),
		);
		return await Promise.race([work(new Crowd(cell, supervisor)), tooLong]);
	} finally {
		if (supervisor.connected) supervisor.send("stop");
		endRoot(cell);
		await Promise.race([exited, sleep(WAIT_MS, undefined, { ref: false })]);
		supervisor.kill("SIGKILL");
		rmSync(home, { recursive: true, force: true });
	}
}

/** `PROFILE_DIR=/tmp/x npm run bench -- gate …`: a CPU profile of each supervisor. */
function profiled(): string[] {
	const { PROFILE_DIR } = process.env;
	return PROFILE_DIR === undefined ? ["--expose-gc"] : ["--expose-gc", "--cpu-prof", `--cpu-prof-dir=${PROFILE_DIR}`];
}

/** The root's process does nothing; where the process table is the real one, those of its children do as little. */
function writeRootScript({ home, rootScript, alive, table }: GateCell): void {
	const children = table === "real" ? alive + (END_ROUNDS + 1) * ENDS_AT_ONCE : 0;
	const [pids, own] = [join(home, CHILD_PIDS_FILE), join(home, ROOT_PID_FILE)];
	const joining = join(home, JOINING_NAME); // a program's name is that of its process
	symlinkSync("/bin/sleep", joining);
	const start = `for i in $(seq ${children}); do "${joining}" 600 & echo $! >> ${pids}; done`;
	writeFileSync(rootScript, `${start}\necho $$ > ${own}.new\nmv ${own}.new ${own}\nexec sleep 600\n`);
}

/** With the stub the supervisor cannot see that it has a root to end, unless there are cgroups. */
function endRoot({ home, table }: GateCell): void {
	const file = join(home, ROOT_PID_FILE);
	if (table !== "stub" || !existsSync(file)) return;
	try {
		process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
	} catch {} // ESRCH: it has ended
}

export class Crowd {
	private readonly cell: GateCell;
	private readonly supervisor: ChildProcess;
	private agents: SyntheticAgent[] = [];
	private pids: number[] = [];

	constructor(cell: GateCell, supervisor: ChildProcess) {
		this.cell = cell;
		this.supervisor = supervisor;
	}

	/** Ends are measured while those that wait for a slot have not asked yet: so the one that gets it makes no turn of its own. */
	async measure(): Promise<GateFigures> {
		const { alive } = this.cell;
		const root = await this.startRoot();
		const joinMs = await this.cpuOf(() => this.join(alive));
		await this.turns(WARM_TURNS);
		await this.end(ENDS_AT_ONCE);
		let endMs = 0;
		for (let round = 0; round < END_ROUNDS; round++) {
			await this.join(ENDS_AT_ONCE);
			await this.turns(this.active.length);
			endMs += await this.cpuOf(() => this.end(ENDS_AT_ONCE));
		}
		await this.join(ENDS_AT_ONCE);
		for (const agent of this.agents.slice(this.active.length)) agent.think().catch(() => {}); // it waits to the end
		await this.turns(WARM_TURNS);
		const turnMs = await this.cpuOf(() => this.turns(TURNS));
		root.leave();
		this.leave();
		return { joinMs: joinMs / alive, turnMs: turnMs / TURNS, endMs: endMs / (END_ROUNDS * ENDS_AT_ONCE) };
	}

	/** Slots are given in the order of joining, and kept until an agent ends. */
	private get active(): SyntheticAgent[] {
		return this.agents.slice(0, this.cell.slots);
	}

	/** It has begun a command, below which all others are. */
	async startRoot(): Promise<SyntheticAgent> {
		const { home, socket, table, alive } = this.cell;
		const file = join(home, ROOT_PID_FILE);
		for (let waited = 0; !existsSync(file) && waited < WAIT_MS; waited += 20) await sleep(20);
		const numbers = (path: string) => readFileSync(path, "utf8").trim().split("\n").map(Number);
		const stub = Array.from({ length: alive + (END_ROUNDS + 1) * ENDS_AT_ONCE }, (_, i) => FIRST_PID + i);
		this.pids = table === "real" ? numbers(join(home, CHILD_PIDS_FILE)) : stub;
		mkdirSync(join(home, "work"));
		const root = await SyntheticAgent.join(socket, numbers(file)[0] ?? 0, home);
		await root.think();
		root.startCommand();
		return root;
	}

	async join(count: number): Promise<void> {
		const { socket, home } = this.cell;
		for (let left = count; left > 0; left -= JOINS_AT_ONCE) {
			const pids = this.pids.splice(0, Math.min(left, JOINS_AT_ONCE));
			const joined = await Promise.all(pids.map((pid) => SyntheticAgent.join(socket, pid, home)));
			this.agents.push(...joined);
		}
	}

	/** All that have a slot ask, again and again, until there were so many turns. */
	async turns(count: number): Promise<void> {
		let left = count;
		const takeTurns = async (agent: SyntheticAgent) => {
			while (left > 0) {
				left -= 1;
				await agent.turn();
			}
		};
		await Promise.all(this.active.map(takeTurns));
	}

	async end(count: number): Promise<void> {
		const ending = this.agents.splice(0, count);
		await Promise.all(ending.map((agent) => agent.finish()));
		if (this.cell.table === "real") for (const { pid } of ending) process.kill(pid, "SIGKILL");
	}

	/** All ask once, at the same time. */
	async think(): Promise<void> {
		await Promise.all(this.agents.map((agent) => agent.think()));
	}

	leave(): void {
		for (const agent of this.agents) agent.leave();
	}

	/** Of the supervisor, until it has dealt with all that was sent to it. */
	async cpuOf(act: () => Promise<void>): Promise<number> {
		const before = await this.cpu();
		await act();
		return (await this.cpu()) - before;
	}

	private async cpu(): Promise<number> {
		return (await this.usage()).cpuMs;
	}

	/** What the supervisor has used by now. */
	usage(): Promise<Usage> {
		return this.ask("usage");
	}

	/** What is left of the supervisor's heap after a collection. */
	async heapMiB(): Promise<number> {
		return (await this.ask<{ heapMiB: number }>("heap")).heapMiB;
	}

	private async ask<T>(what: "usage" | "heap"): Promise<T> {
		this.supervisor.send(what);
		const [answer] = await once(this.supervisor, "message");
		return answer;
	}
}
