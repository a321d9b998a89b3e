/** The rows of the table in docs/guarantees.md: what is tried of each feature, and what it comes to in each column. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { isAlive, procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { census } from "../census.ts";
import type { Program } from "../program.ts";
import { atLevel } from "../sandbox/at-level.ts";
import type { Column, Place } from "./place.ts";

export interface Feature {
	readonly name: string;
	/** What `try` gives, as root and as an ordinary user alike. */
	readonly outcome: Readonly<Record<Column, string>>;
	try(place: Place, as: string): Promise<string>;
}

const everywhere = (outcome: string) => ({ on: outcome, off: outcome, "no bubblewrap": outcome });
const inside = (outcome: string, outside: string) => ({ on: outcome, off: outside, "no bubblewrap": outside });

export const FEATURES: readonly Feature[] = [
	{
		name: "a task of four levels of agents",
		outcome: everywhere("answered"),
		try: async ({ run }) => ((await run(atLevel(4, "echo deep"))).stdout === "deep" ? "answered" : "not answered"),
	},
	{
		name: "child agents side by side",
		outcome: everywhere("answered"),
		try: async ({ run }) => {
			const task = `agent "echo a" > a & p=$!; agent "echo b" > b & q=$!; wait $p && wait $q && cat a b`;
			return (await run(task)).stdout === "a\nb" ? "answered" : "not answered";
		},
	},
	{
		name: "a file in the project",
		outcome: everywhere("written"),
		try: ({ run, project }) => written(run("echo x > new"), join(project, "new")),
	},
	{
		name: "a file beside the project",
		outcome: inside("refused", "written"),
		try: ({ run, home }) => written(run("echo x > ../new"), join(home, "new")),
	},
	{
		name: "a file in /tmp",
		outcome: inside("goes with the run", "stays"),
		try: async ({ run, home }) => {
			const path = `/tmp/new-${basename(home)}`;
			onTestFinished(() => rmSync(path, { force: true }));
			const { stdout } = await run(`echo x > ${path}; cat ${path}`);
			if (stdout !== "x") return "not written";
			return existsSync(path) ? "stays" : "goes with the run";
		},
	},
	{
		name: "a key in the home",
		outcome: inside("hidden", "read"),
		try: async ({ run }) => ((await run("cat ~/.ssh/id; true")).stdout === "secret" ? "read" : "hidden"),
	},
	{
		name: "the same with `--allow-read`",
		outcome: everywhere("read"),
		try: async ({ run }) =>
			(await run("cat ~/.ssh/id; true", "--allow-read", "../.ssh/id")).stdout === "secret" ? "read" : "hidden",
	},
	{
		name: "a process of the user's outside of the run",
		outcome: inside("not seen", "seen"),
		try: async ({ run }, as) => {
			const other = spawn("sh", ["-c", `exec ${as} sleep 100`]);
			onTestFinished(() => void other.kill("SIGKILL"));
			const { stdout } = await run(`grep -qs sleep /proc/${other.pid}/comm && kill -0 ${other.pid} && echo seen; true`);
			return stdout === "seen" ? "seen" : "not seen";
		},
	},
	{
		name: "`--net none`",
		outcome: { on: "cut off, in a sandbox", off: "cut off, in a sandbox", "no bubblewrap": "no start: exit code 2" },
		try: async ({ run, home }) => {
			const server = createServer((socket) => socket.destroy());
			onTestFinished(() => void server.close());
			await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
			const address = server.address();
			const port = typeof address === "object" ? address?.port : 0;
			const task = `(: < /dev/tcp/127.0.0.1/${port}) 2>&- && echo reached; { echo x > ../new; } 2>&-; true`;
			const { code, stdout } = await run(task, "--net", "none");
			if (code !== 0) return `no start: exit code ${code}`;
			return `${stdout === "" ? "cut off" : stdout}${existsSync(join(home, "new")) ? "" : ", in a sandbox"}`;
		},
	},
	{
		name: "a server that one command has left, from the next one",
		outcome: everywhere("reached"),
		try: async ({ runScript }) => {
			const server = `require("net").createServer((s) => s.end("served")).listen(0, "127.0.0.1", function () { require("fs").writeFileSync("port", String(this.address().port)) })`;
			const started = `node -e '${server}' > log 2>&1 & until [ -s port ]; do sleep 0.02; done`;
			const { stdout } = await runScript(each(started, "cat < /dev/tcp/127.0.0.1/$(cat port)"));
			return stdout === "served" ? "reached" : "not reached";
		},
	},
	{
		name: "the file with a result that was cut, from the next command",
		outcome: everywhere("read"),
		try: async ({ runScript, start, finish }) => {
			await runScript(each("seq 1 30000", "true"));
			const { stdout } = await finish(start(["show", "--json"]));
			const [, path = "none"] = /(\/[^\s"\\]*out\/0001\.log)/.exec(stdout) ?? [];
			const again = await finish(start(["resume", "-q", "--stdin", "--model", "shell"], `tail -n 1 ${path}`));
			return again.stdout === "30000" ? "read" : `not read: ${path} ${again.stderr}`;
		},
	},
	{
		name: "a full context of which no summary comes: old results are dropped",
		outcome: everywhere("goes on"),
		try: async ({ runScript }) => {
			const full = { status: 400, message: "prompt is too long: 1200000 tokens > 1000000 maximum", times: 1 };
			const looks = [1, 2, 3, 4].map((n) => ({ run: `seq ${n} 5000` }));
			const turns = [...looks, { error: full, say: "done" }];
			const { code, stdout } = await runScript({ turns, compaction: { error: { status: 400, message: "no" } } });
			return code === 0 && stdout === "done" ? "goes on" : `ended: exit code ${code}`;
		},
	},
	{
		name: "a command over its time",
		outcome: everywhere("ended"),
		try: async ({ runScript }) =>
			(await runScript(each({ command: "sleep 100", timeout: 1 }))).stdout.includes("timed out after 1 s")
				? "ended"
				: "not ended",
	},
	{
		name: "what is left in the background when a run ends",
		outcome: everywhere("ended"),
		try: async ({ start, finish }) => {
			const program = start(["run", "--model", "shell", "setsid sleep 621 > /dev/null 2>&1 & echo over"]);
			await finish(program);
			return census(program).length === 0 ? "ended" : "left";
		},
	},
	{
		name: "the same with `--keep-background`",
		outcome: everywhere("stays"),
		try: async ({ start, finish }) => {
			const task = "setsid sleep 622 > /dev/null 2>&1 & echo over";
			const program = start(["run", "--keep-background", "--model", "shell", task]);
			await finish(program);
			const left = census(program);
			onTestFinished(() => {
				for (const info of left) if (isAlive(procTable, info)) process.kill(info.pid, "SIGKILL");
			});
			return left.some(({ name }) => name === "sleep") ? "stays" : "ended";
		},
	},
	{
		name: "`agent stop`, with a child agent at work",
		outcome: everywhere("nothing is left"),
		try: async ({ start, finish }) => {
			const program = await atWork(start(["run", "--model", "shell", 'agent "setsid sleep 623 & sleep 623"']));
			const { code, stderr } = await finish(start(["stop"]));
			await finish(program);
			return code === 0 && census(program).length === 0 ? "nothing is left" : `left: ${stderr}`;
		},
	},
	{
		name: "kill -9 of the supervisor, with a child agent at work",
		outcome: everywhere("nothing is left"),
		try: async ({ start, finish }) => {
			const program = await atWork(start(["run", "--model", "shell", 'agent "setsid sleep 624 & sleep 624"']));
			program.kill("SIGKILL");
			await finish(program);
			await vi.waitFor(() => noneOf(census(program)), WAIT);
			return "nothing is left";
		},
	},
	{
		name: "`--max-depth 1`, at the second level",
		outcome: everywhere("refused: exit code 4"),
		try: async ({ run }) =>
			`refused: exit code ${(await run(atLevel(2, "agent true 2>&-; echo $?"), "--max-depth", "1")).stdout}`,
	},
	{
		name: "more processes than `--max-processes`",
		outcome: everywhere("ended: exit code 3"),
		try: async ({ run }) =>
			`ended: exit code ${(await run("for i in $(seq 40); do sleep 625 & done; wait", "--max-processes", "20")).code}`,
	},
	{
		name: "`agent ps` and `agent send` of an agent",
		outcome: everywhere("answered"),
		try: async ({ run }) => {
			const { stdout } = await run(`agent "agent send 1 hello >&2 && agent ps"`);
			return /^\S* *└─ 1\.1 |1\.1/m.test(stdout) ? "answered" : `not answered: ${stdout}`;
		},
	},
	{
		name: "`agent show`, `log` and `why` of a child, in its parent's command",
		outcome: everywhere("answered"),
		try: async ({ run }) => {
			const { stdout } = await run(`agent "echo found"; agent show 1.1 && agent log 1.1 && agent why 1.1`);
			return ["found\n", "echo found", "1.1"].every((text) => stdout.includes(text)) ? "answered" : stdout;
		},
	},
	{
		name: "`agent write` and `agent edit`",
		outcome: everywhere("done"),
		try: async ({ run, project }) => {
			await run(
				"printf 'one\\ntwo\\n' | agent write file && printf '<<<<<<< SEARCH\\ntwo\\n=======\\n2\\n>>>>>>> REPLACE\\n' | agent edit file",
			);
			return readFileSync(join(project, "file"), "utf8") === "one\n2\n" ? "done" : "not done";
		},
	},
	{
		name: "`agent ask --run` where nobody can answer",
		outcome: everywhere("refused"),
		try: async ({ run }) => {
			const { stdout } = await run(
				`agent ask --run "touch asked" --why "to see" 2>&1; [ -e asked ] && echo asked; true`,
			);
			return /nobody|no person/i.test(stdout) && !stdout.endsWith("asked") ? "refused" : stdout;
		},
	},
	{
		name: "a child agent with `--worktree`",
		outcome: everywhere("has one of its own"),
		try: async ({ run, project }) => {
			const { stdout } = await run(`agent --worktree "pwd; git rev-parse --abbrev-ref HEAD"`);
			return /\/worktrees\/.*\nagentree\//s.test(stdout) && !stdout.includes(project) ? "has one of its own" : stdout;
		},
	},
	{
		name: "`agent resume`",
		outcome: everywhere("goes on"),
		try: async ({ run, start, finish }) => {
			await run("true");
			const { stdout } = await finish(start(["resume", "-q", "--stdin"], "echo again"));
			return stdout === "again" ? "goes on" : "does not go on";
		},
	},
	{
		name: "`--detach` and `agent wait`",
		outcome: everywhere("answered"),
		try: async ({ run, start, finish }) => {
			const { stdout } = await run('agent "echo detached"', "--detach");
			const { code } = await finish(start(["wait", stdout]));
			const shown = await finish(start(["show", stdout]));
			return code === 0 && shown.stdout.includes("detached") ? "answered" : "not answered";
		},
	},
	{
		name: "`agent rm`",
		outcome: everywhere("removed"),
		try: async ({ start, finish }) => {
			const program = start(["run", "-q", "--model", "shell", 'agent "echo x > /tmp/x"']);
			const ended = await finish(program);
			if (ended.code !== 0) return `not begun: ${ended.stderr}`;
			const { code } = await finish(start(["rm", "--yes", basename(await program.runDirectory())]));
			return code === 0 && !/\d{8}-\d{6}/.test((await finish(start(["ps", "-a"]))).stdout) ? "removed" : "left";
		},
	},
];

/** An agent that runs these one after the other, and answers with what the last one prints. */
function each(...commands: readonly (string | { command: string; timeout: number })[]) {
	return { turns: [...commands.map((command) => ({ run: command })), { say: "{{output}}" }] };
}

async function written(ended: Promise<unknown>, path: string): Promise<string> {
	await ended;
	return existsSync(path) ? "written" : "refused";
}

/** Until a command of agent 1.1 has started. */
async function atWork(program: Program): Promise<Program> {
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1");
	return program;
}

function noneOf(left: readonly unknown[]): void {
	if (left.length > 0) throw new Error(`${left.length} are left`);
}
