/** What is agentree's own stays so wherever it lies, also in places that commands write to: at the first start, and when a run goes on. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram, startLine, temporaryHome } from "../program.ts";
import { give, USERS } from "./as-other-user.ts";
import { atLevel } from "./at-level.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

/** Below the home. `new`: what a command would like to make. */
const FILES = ["p/keys.env", "p/config.yaml", "wide/agentree/runs/other/run.json"];
const TRIES = `
for file in ~/p/keys.env ~/p/config.yaml ~/wide/agentree/runs/other/run.json; do
	grep -qs secre[t] $file && echo read $file; (echo x >> $file) 2> /dev/null && grep -qs x $file && echo wrote $file; done
(mkdir -p ~/wide/config/agentree; echo x > ~/wide/config/agentree/config.yaml) 2> /dev/null
for file in ~/.config/agentree/config ~/.local/state/agentree/config; do mkdir -p \${file%/*} && echo x > $file && echo wrote $file; done 2> /dev/null
(echo x > "$AGENTREE_HOME/new"; mv ~/wide/config ~/wide/moved) 2> /dev/null
echo x > ~/wide/mine; echo tried`;

describe.skipIf(NO_SANDBOX !== undefined)(`what is agentree's own${SKIPPED}`, () => {
	// Seen to fail: keys in the project were read, --allow-write of a directory above opened state and configuration, and let commands make what was not there.
	test.each(USERS)("is neither read nor written, wherever it lies: as $name", async ({ as }) => {
		const home = temporaryHome();
		for (const name of FILES) {
			mkdirSync(join(home, name, ".."), { recursive: true });
			writeFileSync(join(home, name), name.endsWith(".yaml") ? "# secret\n" : 'ANTHROPIC_API_KEY="secret"\n');
		}
		const state = join(home, "wide/state");
		const turns = [TRIES, "say", atLevel(2, TRIES), "say"].map((run) => (run === "say" ? { say: "said" } : { run }));
		writeFileSync(
			join(home, "script"),
			JSON.stringify({ agents: [{ task: "go", turns }, { turns: [{ run: TRIES }, { say: "tried" }] }] }),
		);
		const env = {
			...{ AGENTREE_HOME: state, AGENTREE_CONFIG: "config.yaml", XDG_CONFIG_HOME: join(home, "wide/config") },
			...{ XDG_STATE_HOME: join(home, "wide"), S: `script:${home}/script` },
		};
		for (const usual of [".config", ".local"]) mkdirSync(join(home, usual));
		if (as !== "") give(home);
		const wide = ["wide", ".config", ".local"].map((name) => `--allow-write ~/${name}`).join(" ");
		const first = `cd ~/p && ${as} "$@" run --sandbox workspace ${wide} --env-file keys.env --model $S go`;
		const again = `cd ~/p && ${as} "$@" run -c --env-file keys.env "go on"`;
		for (const line of [first, again]) {
			const { code, stdout, stderr } = await startLine(line, { home, env }).ended;
			expect([code, stdout.toString(), stderr.toString()]).toEqual([0, "said\n", ""]);
		}
		const logs = readdirSync(join(state, "runs"), { recursive: true, encoding: "utf8" }).filter((name) =>
			name.endsWith(".jsonl"),
		);
		const text = logs.map((name) => readFileSync(join(state, "runs", name), "utf8")).join("\n");
		expect([/\btried\b/.test(text), text.match(/\b(read|wrote) \S*\/(keys|config|run)\S*/g)]).toEqual([true, null]);
		expect([existsSync(join(state, "new")), readdirSync(join(home, "wide/config/agentree"))]).toEqual([false, []]);
		expect([existsSync(join(home, "wide/mine")), existsSync(join(home, "wide/moved"))]).toEqual([true, false]);
	});

	test("is no place to start a run in a sandbox, but a worktree in it is", async () => {
		const home = temporaryHome();
		const [state, worktree] = [join(home, "agentree"), join(home, "agentree/worktrees/run/name")];
		mkdirSync(worktree, { recursive: true, mode: 0o700 });
		const task = ["run", "--sandbox", "workspace", "--model", "shell", "echo x > y; ls"];
		expect(await runProgram(task, { home, cwd: state })).toEqual({
			...{ exit: 2, stdout: "" },
			stderr: expect.stringMatching(
				/ belongs to agentree itself: .*; start in another directory, or use --sandbox off\n/,
			),
		});
		expect(await runProgram(task, { home, cwd: worktree })).toMatchObject({ exit: 0, stdout: "y\n" });
	});
});
