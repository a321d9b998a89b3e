/**
 * Thousands of agents in one run: what a supervisor keeps of those that have ended (memory; time for one more), what an event costs its
 * log, how long it takes to open a run with 10,000 agents and 100,000 events, and how long 200 calls that stream make the supervisor's
 * loop stand still. Synthetic agents on the real socket of a real supervisor; a record that its own writer has written.
 * Usage: npm run bench -- scale [agents | opening | streams]
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { inHome, PROGRAM } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";
import { measureDashboard } from "./scale/dashboard.mjs";

const ENDED = [0, 1_000, 5_000];
const ALIVE = 500;
const AGENTS = 10_000; // ten events each
const STREAMS = 200;
const PIECES = 500;
const PIECE_MS = 40;
const OPENINGS = 5;
const RUN = "20260101-000000-scal";

const programs = await bundle();
const supervisor = join(programs, "gate/supervisor.mjs");
const load = (name) => import(pathToFileURL(join(programs, "scale", `${name}.mjs`)).href);
const ROWS = { agents: measureAgents, opening: measureOpening, streams: measureStreams };
const [wanted] = process.argv.slice(2);
try {
	const figures = {};
	for (const [name, measure] of Object.entries(ROWS))
		if (wanted === undefined || wanted === name) figures[name] = await measure();
	if (wanted === undefined) keepResults("scale", figures);
} finally {
	rmSync(programs, { recursive: true, force: true });
}

async function measureAgents() {
	const { measureEnded } = await load("ended-agents");
	const rows = [];
	await measureEnded({ steps: ENDED, alive: ALIVE }, supervisor, ({ ended, alive, memoryMiB, heapMiB, agentMs }) => {
		rows.push({ ended, alive, memoryMiB: rounded(memoryMiB), heapMiB: rounded(heapMiB), agentMs: rounded(agentMs) });
		const facts = `${memoryMiB.toFixed(0)} MiB, ${heapMiB.toFixed(1)} MiB of it live heap; ${agentMs.toFixed(1)} ms an agent`;
		console.log(`agents: ${ended} ended, ${alive} alive: ${facts}`);
	});
	return rows;
}

async function measureOpening() {
	const { writeRecord } = await load("record");
	return inHome(async ({ home, cwd, env }) => {
		const { events, eventMicros } = writeRecord({ home, run: RUN, cwd, agents: AGENTS });
		console.log(`event log: ${eventMicros.toFixed(1)} µs of computing an event, with ${events} events`);
		const open = (...args) => medianMs(() => execFileSync(process.execPath, args, { env, cwd, stdio: "ignore" }));
		const bareMs = open("-e", "0");
		const commands = {
			ps: ["ps"],
			psRun: ["ps", RUN],
			ls: ["ls"],
			showAgent: ["show", `${RUN}/1.${AGENTS / 2}`],
			showRun: ["show", RUN],
		};
		const ms = Object.fromEntries(
			Object.entries(commands).map(([name, args]) => [name, rounded(open(PROGRAM, ...args), 0)]),
		);
		console.log(`opening: ${JSON.stringify(ms)} ms; node -e 0: ${bareMs.toFixed(0)} ms`);
		const { openMs, openCpuMs, keysMs } = await measureDashboard({ program: PROGRAM, cwd, env, run: RUN });
		console.log(
			`dashboard: ${openMs.toFixed(0)} ms to its first frame; computes ${median(keysMs).toFixed(0)} ms for a key`,
		);
		const dashboard = {
			openMs: rounded(openMs, 0),
			openCpuMs: rounded(openCpuMs, 0),
			keyCpuMs: rounded(median(keysMs)),
		};
		return { events, eventMicros: rounded(eventMicros), bareMs: rounded(bareMs, 0), ...ms, dashboard };
	});
}

async function measureStreams() {
	const { measureStreams: measure } = await load("streams");
	const program = fileURLToPath(new URL("scale/service.mjs", import.meta.url));
	const service = spawn(process.execPath, [program, String(PIECES), String(PIECE_MS)], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	try {
		const [address] = await once(service.stdout, "data");
		const { stallMs, cpuPercent, beginMs, endMs } = await measure(STREAMS, String(address).trim(), supervisor);
		const work = `${cpuPercent.toFixed(0)} % of a core, at most ${stallMs.toFixed(0)} ms at once`;
		console.log(
			`streams: ${STREAMS} calls: ${work} (${beginMs.toFixed(0)} ms as all begin, ${endMs.toFixed(0)} ms as all end)`,
		);
		return {
			calls: STREAMS,
			cpuPercent: rounded(cpuPercent),
			stallMs: rounded(stallMs),
			beginMs: rounded(beginMs),
			endMs: rounded(endMs),
		};
	} finally {
		service.stdin.end();
	}
}

function medianMs(act) {
	const times = Array.from({ length: OPENINGS }, () => {
		const began = performance.now();
		act();
		return performance.now() - began;
	});
	return median(times);
}

async function bundle() {
	const outdir = mkdtempSync(join(tmpdir(), "agentree-scale-"));
	const here = fileURLToPath(new URL(".", import.meta.url));
	const names = ["gate/supervisor", "scale/ended-agents", "scale/record", "scale/streams"];
	const requires = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
	await build({
		...{ entryPoints: names.map((name) => join(here, `${name}.ts`)), outdir, outbase: here },
		...{ bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" }, banner: { js: requires } },
	});
	return outdir;
}
