/**
 * Makes docs/dashboard.svg, the picture in the README: `agent demo` in a real terminal, captured at a moment when much of
 * its tree is at work. Needs tmux, and a build. It stands beside what it makes, and is left out of the package.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { svgOf } from "./terminal-svg.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PICTURE = join(ROOT, "docs/dashboard.svg");
const SIZE = { columns: 120, rows: 22 };
/** One run in a few has no good moment, since chance says how long a call that broke is not made again. */
const MOST_RUNS = 5;
const MOST_MS = 60_000;
/** Of the demo. */
const AGENTS = 10;
const LOOK_MS = 100;

const home = mkdtempSync(join(tmpdir(), "agentree-home-"));
/** The run shows its directory, so it has a short name. */
const repository = mkdtempSync(join(tmpdir(), "agentree-"));
try {
	writeFileSync(PICTURE, svgOf(await capture(), { ...SIZE, title: "agent demo" }));
} finally {
	for (const directory of [home, repository]) rmSync(directory, { recursive: true, force: true });
}

/** The screen at a good moment. The run has ended and the terminal is gone when this returns. */
async function capture() {
	execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, repository]); // no build, nothing that git ignores
	const agent = [process.execPath, join(ROOT, "bin/agent.js"), "demo"].map((word) => `'${word}'`).join(" ");
	const size = ["-x", String(SIZE.columns), "-y", String(SIZE.rows)];
	for (let run = 1; run <= MOST_RUNS; run++) {
		const tmux = terminal();
		tmux("new-session", "-d", ...size, "-c", repository, agent);
		try {
			const screen = await goodMoment(() => tmux("capture-pane", "-e", "-p"));
			if (screen !== undefined) return screen;
		} finally {
			await close(tmux);
		}
	}
	throw new Error(`no good moment in ${MOST_RUNS} runs`);
}

/** A tmux server of its own, which knows nothing of the person's settings. */
function terminal() {
	const env = {
		...{ PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color" },
		...{ AGENTREE_HOME: join(home, "state"), XDG_RUNTIME_DIR: home, TMUX_TMPDIR: home },
	};
	return (...args) =>
		execFileSync("tmux", ["-L", "picture", "-u", "-f", "/dev/null", ...args], { encoding: "utf8", env, stdio: "pipe" });
}

/** Undefined when the run had none. */
async function goodMoment(look) {
	for (const until = Date.now() + MOST_MS; Date.now() < until; await sleep(LOOK_MS)) {
		const screen = look();
		const text = screen.replace(/\x1b\[[\d;]*m/g, "");
		if (isGood(text)) return screen;
		if (/ — q to close/.test(text)) return undefined;
	}
	throw new Error(`the demo has not ended in ${MOST_MS / 1000} s; the last screen:\n${look()}`);
}

/** The tree is whole, its agents are in all states that the demo has, and each that runs tells what. */
function isGood(text) {
	const rows = text.split("\n").flatMap((line) => /^┃[│ ]*[├└]?[─▾▸ ]([◆●◌✓↻] \d+ .*?)┃/.exec(line)?.[1] ?? []);
	const count = (mark) => rows.filter((row) => row.startsWith(mark)).length;
	const least = { "◆": 2, "●": 2, "◌": 2, "✓": 1, "↻": 1 };
	const isTold = rows.every((row) => !row.startsWith("●") || row.includes(" $ "));
	return rows.length === AGENTS && isTold && Object.entries(least).every(([mark, some]) => count(mark) >= some);
}

/** Ctrl-C twice stops the run; the server goes with its only session when the dashboard has closed. */
async function close(tmux) {
	try {
		tmux("send-keys", "C-c", "C-c");
		for (const until = Date.now() + 10_000; Date.now() < until; await sleep(LOOK_MS)) tmux("has-session");
		tmux("kill-server");
	} catch {
		// tmux says that there is no server any more
	}
}
