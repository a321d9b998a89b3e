/** `agent attach` in a terminal (tmux): what it computes until the tree is on the screen, and for a key. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 20;
const MOST_LOOKS = 3_000;
const KEYS = 8;
const SETTLE_MS = 1_000;
const MOST_SETTLE_LOOKS = 20;

export async function measureDashboard({ program, cwd, env, run }) {
	const tmux = (...args) =>
		execFileSync("tmux", ["-S", join(cwd, "tmux"), "-u", "-f", "/dev/null", ...args], {
			encoding: "utf8",
			env: { ...env, LANG: "C.UTF-8" },
		});
	tmux("new-session", "-d", ...["-x", "120", "-y", "36"], process.execPath, program, "attach", run);
	try {
		const pid = Number(tmux("display-message", "-p", "#{pane_pid}"));
		const shown = () => tmux("capture-pane", "-p");
		const until = async (isThere) => {
			for (let looks = 0; looks < MOST_LOOKS; looks++) {
				if (isThere(shown())) return;
				await sleep(LOOK_MS);
			}
			throw new Error(`it did not come on the screen:\n${shown()}`);
		};
		const started = performance.now();
		await until((text) => /1\.1|├|└/.test(text));
		const openMs = performance.now() - started;
		const openCpuMs = cpuMsOf(pid);
		await settled(pid);
		const keysMs = [];
		for (let n = 0; n < KEYS; n++) {
			const text = shown();
			const cpu = cpuMsOf(pid);
			tmux("send-keys", n % 2 === 0 ? "j" : "PageDown");
			await until((now) => now !== text);
			await sleep(300);
			keysMs.push(cpuMsOf(pid) - cpu);
		}
		return { openMs, openCpuMs, keysMs };
	} finally {
		tmux("kill-server");
	}
}

/** Until it has computed next to nothing for a while. */
async function settled(pid) {
	for (let looks = 0; looks < MOST_SETTLE_LOOKS; looks++) {
		const before = cpuMsOf(pid);
		await sleep(SETTLE_MS);
		if (cpuMsOf(pid) - before < SETTLE_MS / 20) return;
	}
}

/** Of all of its threads, as the kernel's scheduler counts it. */
function cpuMsOf(pid) {
	const threads = readdirSync(`/proc/${pid}/task`);
	return threads.reduce(
		(sum, id) => sum + Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "latin1").split(" ")[0]) / 1e6,
		0,
	);
}
