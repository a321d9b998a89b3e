/** A run of the built program in a home of its own, for a benchmark: it is started, watched by its event log, and ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const PROGRAM = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const LOOK_MS = 100;

/** `work` gets a place for runs, which is gone afterwards: the directory they start in, agentree's own, and an environment that leads there. */
export async function inHome(work) {
	const top = mkdtempSync(join(tmpdir(), "agentree-bench-"));
	const [home, cwd] = [join(top, "state"), join(top, "work")];
	mkdirSync(cwd);
	const places = { HOME: top, XDG_STATE_HOME: top, XDG_RUNTIME_DIR: top, AGENTREE_HOME: home };
	const env = { PATH: process.env.PATH, ...places, AGENTREE_SANDBOX: "off" }; // but in the benchmark of it
	try {
		return await work({ home, cwd, env });
	} finally {
		rmSync(top, { recursive: true, force: true });
	}
}

/** `agent run` with these arguments; `work` gets its process, after which the run is stopped if it has not ended. */
export async function withRun(args, { cwd, env }, work) {
	const run = spawn(process.execPath, [PROGRAM, "run", ...args], { cwd, env });
	const exited = once(run, "close");
	try {
		return await work(run);
	} finally {
		run.kill("SIGTERM");
		await exited;
	}
}

/** What a run with these arguments printed, once it has ended. Throws unless it has answered. */
export function outputOfRun(args, place) {
	return withRun(args, place, async (run) => {
		const [output, complaints] = await Promise.all([run.stdout, run.stderr].map((stream) => text(stream)));
		if (run.exitCode === null) await once(run, "exit");
		if (run.exitCode !== 0) throw new Error(`agent run ended with exit status ${run.exitCode}: ${complaints}`);
		return output;
	});
}

/** The event log of the newest run. */
export function eventsIn(home) {
	const runs = join(home, "runs");
	try {
		const newest = readdirSync(runs).sort().at(-1) ?? "";
		const lines = readFileSync(join(runs, newest, "events.jsonl"), "utf8")
			.split("\n")
			.slice(0, -1);
		return lines.map((line) => JSON.parse(line));
	} catch (error) {
		if (error.code === "ENOENT") return []; // not yet
		throw error;
	}
}

/** Waits until so many commands of agents below the root have started. */
export async function leavesAtWork(home, count) {
	const isAtWork = ({ event, agent }) => event === "command_started" && agent !== "1";
	for (let looks = 0; looks < 600; looks++) {
		if (eventsIn(home).filter(isAtWork).length >= count) return;
		await sleep(LOOK_MS);
	}
	throw new Error(`${count} agents were not at work within a minute`);
}
