/**
 * Many agents alive at once, below an agent with few open files: what one more costs the supervisor in open files and
 * memory, and whether all of them answer.
 * Usage: npm run bench -- many [agents, default 60] [ulimit -n of the run, default 256]
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { eventsIn, inHome, PROGRAM } from "./a-run.mjs";

const [agents = "60", files = "256"] = process.argv.slice(2);
const AT_ONCE = 8; // starting; many starting processes measures the machine, not us

const child = "touch up/$$; read -r < go";
const task = `mkdir up; mkfifo go; for i in $(seq ${agents}); do until [ $((i - $(ls up | wc -l))) -le ${AT_ONCE} ]; do sleep 0.05; done; agent '${child}' & done; wait`;
const limits = [
	"--max-agents",
	String(Number(agents) + 1),
	"--max-children",
	agents,
	"--max-concurrency",
	String(Number(agents) + 1),
];
const flags = [...limits, "--max-processes", "8000", "--model", "shell", task];
await inHome(async ({ home, cwd, env }) => {
	const started = Date.now();
	const limited = ["-c", `ulimit -n ${files}; exec "$@"`, "bash", process.execPath, PROGRAM, "run", ...flags];
	const run = spawn("bash", limited, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
	const exited = new Promise((resolve) => run.once("exit", resolve));
	const open = () => readdirSync(`/proc/${run.pid}/fd`).length;
	const memory = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${run.pid}/status`, "utf8"))?.[1]) / 1024;
	const count = (name) => eventsIn(home).filter(({ event }) => event === name).length;

	try {
		while (count("command_started") < 1) await sleep(50);
		const before = { open: open(), memory: memory() };
		while (count("command_started") + count("child_refused") <= Number(agents)) await sleep(500);
		const alive = count("command_started") - 1;
		const perAgent = (open() - before.open) / alive;
		console.log(
			`${alive} agents alive after ${((Date.now() - started) / 1000).toFixed(0)} s, ${count("child_refused")} refused; the supervisor has ${open()} files open (${perAgent.toFixed(2)} an agent) and ${memory().toFixed(0)} MB (${before.memory.toFixed(0)} MB alone)`,
		);
		run.kill("SIGTERM");
		await exited;
		console.log(
			`ended: ${count("agent_ended")} of ${count("agent_joined")}; ${JSON.stringify(eventsIn(home).at(-1)?.survivors)} survived`,
		);
	} finally {
		run.kill("SIGKILL");
		await exited;
	}
});
