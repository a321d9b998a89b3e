/**
 * What one more agent costs, beside a bare `node` on the same machine in the same minute:
 * start-up (from exec to the join at the supervisor) as a ratio to `node -e 0`, and memory (PSS) with 20 agents alive.
 * Usage: npm run bench -- start
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const ROUNDS = 20;
const home = mkdtempSync(join(tmpdir(), "agentree-bench-"));
const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home, AGENTREE_HOME: home };

try {
	await startUp();
	await memory();
} finally {
	rmSync(home, { recursive: true, force: true });
}

async function startUp() {
	const loop = `for i in $(seq ${ROUNDS + 2}); do a=$EPOCHREALTIME; "${process.execPath}" -e 0; b=$EPOCHREALTIME; agent true; echo $a $b; done`;
	const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "run", "--model", "shell", loop], { env });
	const joins = events().filter(({ event, agent }) => event === "agent_joined" && agent !== "1");
	const rounds = stdout
		.trim()
		.split("\n")
		.map((line, i) => {
			const [before, started] = line.split(" ").map((seconds) => Number(seconds) * 1000);
			return { bareMs: started - before, joinMs: joins[i].at - started };
		})
		.slice(2);
	const bare = median(rounds.map(({ bareMs }) => bareMs));
	const joined = median(rounds.map(({ joinMs }) => joinMs));
	const ratio = median(rounds.map(({ bareMs, joinMs }) => joinMs / bareMs));
	console.log(
		`start-up: join ${joined.toFixed(1)} ms, node -e 0 ${bare.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (aim: at most 1.6; medians of ${ROUNDS})`,
	);
}

async function memory() {
	const task = `for i in $(seq ${ROUNDS}); do agent "sleep 60" & done; wait`;
	const run = spawn(
		process.execPath,
		[PROGRAM, "run", "--max-children", "32", "--max-concurrency", "32", "--model", "shell", task],
		{ env, stdio: "ignore" },
	);
	const exited = new Promise((resolve) => run.once("exit", resolve));
	try {
		const isAlive = () =>
			events().filter(({ event, agent }) => event === "command_started" && agent !== "1").length === ROUNDS;
		for (let i = 0; i < 300 && !isAlive(); i++) await sleep(100);
		const pids = events()
			.filter(({ event, agent }) => event === "agent_joined" && agent !== "1")
			.map(({ pid }) => pid);
		const sizes = pids.map(
			(pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1024,
		);
		console.log(
			`memory: ${median(sizes).toFixed(1)} MiB PSS an agent, most ${Math.max(...sizes).toFixed(1)}, with ${pids.length} alive (aim: at most 12 MB)`,
		);
	} finally {
		run.kill("SIGTERM");
		await exited;
	}
}

/** Of the newest run. */
function events() {
	const runs = join(home, "runs");
	try {
		const newest = readdirSync(runs).sort().at(-1) ?? "";
		return readFileSync(join(runs, newest, "events.jsonl"), "utf8")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
	} catch {
		return [];
	}
}

function median(values) {
	return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
