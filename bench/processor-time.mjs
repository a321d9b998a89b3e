/** The processor time of processes, as the kernel and as bash count it. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export const TICKS_A_SECOND = 100; // USER_HZ, the same on every Linux

/** Milliseconds of a script in bash and of all processes that it has waited for. Throws unless it ends well. */
export function cpuMsOf(script, { cwd, env }) {
	const line = `TIMEFORMAT='%U %S'; time { ${script}; } > /dev/null`;
	const { status, stderr } = spawnSync("bash", ["-c", line], { cwd, env, encoding: "utf8" });
	if (status !== 0) throw new Error(`${script} ended with exit status ${status}: ${stderr}`);
	const [, user, system] = /([\d.]+) ([\d.]+)\s*$/.exec(stderr);
	return (Number(user) + Number(system)) * 1000;
}

/** utime + stime of a process and of all living ones below it, by their pids. */
export function ticksOf(root) {
	const ticks = new Map();
	const found = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap(statOf);
	const add = (pid) => {
		const self = found.find((each) => each.pid === pid);
		if (self !== undefined) ticks.set(pid, self.ticks);
		for (const each of found) if (each.parent === pid) add(each.pid);
	};
	add(root);
	return ticks;
}

/** proc_pid_stat(5); the name in parentheses may hold anything. */
function statOf(pid) {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "latin1");
		const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
		return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
	} catch {
		return []; // it has just ended
	}
}
