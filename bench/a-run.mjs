/** A run of the built program in a home of its own, for a benchmark: it is started, watched by its event log, and ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const LOOK_MS = 100;

/** `work` gets the path of an empty directory, which is gone afterwards, and an environment in which a run stays inside it. */
export async function inHome(work) {
	const home = mkdtempSync(join(tmpdir(), "agentree-bench-"));
	try {
		return await work({ home, env: environmentIn(home) });
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

/** One in which a run stays inside that directory. */
export function environmentIn(home) {
	const places = { HOME: home, XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home, AGENTREE_HOME: home };
	return { PATH: process.env.PATH, ...places, AGENTREE_SANDBOX: "off" }; // but in the benchmark of it
}

/** `agent run` with these arguments; `work` gets its process, after which the run is stopped if it has not ended. */
export async function withRun(args, { home, env }, work) {
	const run = spawn(process.execPath, [PROGRAM, "run", ...args], { cwd: home, env });
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
