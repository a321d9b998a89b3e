/** Where the project, the home and the state directory may lie: what is outside stays outside, and what is hidden hidden. */
import { spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

interface Odd {
	readonly name: string;
	/** Below the home. */
	readonly project?: string;
	readonly state?: string;
	readonly flags?: (home: string) => string[];
	readonly env?: (home: string) => Record<string, string>;
	readonly prepare?: (home: string) => void;
}

const CASES: readonly Odd[] = [
	{ name: "spaces and a line feed in the path", project: "a b/c\nd" },
	{ name: "letters of other scripts", project: "пример/例え/🦊" },
	{ name: "names that look like options", project: "--bind/-- /x" },
	{ name: "quotes, dollars and backslashes", project: `a'b"c$d\`e\\f` },
	{ name: "a deep path", project: Array(60).fill("directory").join("/") },
	{ name: "the state directory in the project", project: "p", state: "p/.state/deep/agentree" },
	{
		name: "the state directory behind a link",
		project: "p",
		state: "link/agentree",
		prepare: (home) => {
			mkdirSync(join(home, "real"));
			symlinkSync(join(home, "real"), join(home, "link"));
		},
	},
	{ name: "no HOME", project: "p", env: () => ({ HOME: "" }) },
	{
		name: "a project behind a link",
		project: "link/p",
		prepare: (home) => {
			mkdirSync(join(home, "elsewhere"));
			symlinkSync(join(home, "elsewhere"), join(home, "link"));
		},
	},
	{ name: "the home as the project", project: "." },
	{
		name: "a hidden path with .. and a slash at its end",
		project: "p",
		flags: (home) => ["--deny-read", `${home}/p/../hidden/`, "--deny-read", `${home}/with a\n line`],
		prepare: (home) => {
			mkdirSync(join(home, "hidden"));
			writeFileSync(join(home, "hidden/x"), "secret");
			mkdirSync(join(home, "with a\n line"));
		},
	},
	{
		name: "a thousand hidden paths",
		project: "p",
		prepare: (home) => {
			for (let n = 0; n < 1000; n++) mkdirSync(join(home, "many", String(n)), { recursive: true });
		},
		flags: (home) => Array.from({ length: 1000 }, (_, n) => ["--deny-read", `${home}/many/${n}`]).flat(),
	},
];

describe.skipIf(NO_SANDBOX !== undefined)(`a sandbox holds wherever things lie${SKIPPED}`, () => {
	test.each(CASES)("$name", async ({ project = "p", state = "agentree", flags, env, prepare }) => {
		const home = temporaryHome();
		prepare?.(home);
		const cwd = join(home, project);
		mkdirSync(cwd, { recursive: true });
		mkdirSync(join(home, ".ssh"));
		writeFileSync(join(home, ".ssh/id"), "secret");
		writeFileSync(join(home, "victim"), "as it was");
		if (project !== ".") spawnSync("git", ["init", "-q"], { cwd, env: { PATH: process.env.PATH, HOME: home } });
		const command = `
			cd "$PROJECT"; echo in > made
			cat "$HOME_OF/.ssh/id" "$HOME_OF/hidden/x"
			[ "$PROJECT" -ef "$HOME_OF" ] || echo out >> "$HOME_OF/victim"
			find -L "$AGENTREE_HOME/" "$HOME_OF/real" "$PROJECT/.state" -name "*.jsonl" -o -name run.json -o -name agent.json
			mv "$PROJECT/.state" "$PROJECT/moved"
			agent 'echo from a child > made-by-child'; echo end`;
		const { exit, stdout } = await runProgram(
			["run", "-q", "--sandbox", "workspace", ...(flags?.(home) ?? []), "--model", "shell", command],
			{
				...{ home, cwd },
				env: { PROJECT: cwd, HOME_OF: home, AGENTREE_HOME: join(home, state), ...env?.(home) },
			},
		);
		const seen = stdout
			.split("\n")
			.filter((line) => !/: (cannot|No such|Read-only|Device)|^(cat|find|mv|bash): /.test(line));
		expect([exit, seen.filter((line) => /secret|\.json/.test(line)), seen.at(-2)]).toEqual([0, [], "end"]);
		expect(readFileSync(join(home, "victim"), "utf8")).toBe("as it was");
		expect(existsSync(join(cwd, "made")) && existsSync(join(cwd, "made-by-child"))).toBe(true);
	});
});

describe.skipIf(NO_SANDBOX !== undefined)(`a home is no project${SKIPPED}`, () => {
	// Seen to fail: with dotfiles in a repository all of the home was writable, from any directory in it.
	test("though a repository lies there: what is in it is written from there alone, and its hidden files are not", async () => {
		const home = temporaryHome();
		spawnSync("git", ["init", "-q"], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
		mkdirSync(join(home, "work"));
		writeFileSync(join(home, ".bashrc"), "as it was");
		const task = `for at in ~/.bashrc ~/.git/hooks/post-commit ~/.git/index ~/notes ~/work/made; do (echo x >> $at) 2> /dev/null && echo $at; done`;
		const run = (cwd: string) => runProgram(["run", "--model", "shell", task], { home, cwd });
		const [inIt, below] = [await run(home), await run(join(home, "work"))];
		expect(inIt).toEqual({
			...{ exit: 0, stdout: `${home}/notes\n${home}/work/made\n` },
			stderr: `agent: ${home} is a home directory, not a project: commands can write there, except to its hidden files\n`,
		});
		expect(below).toEqual({ exit: 0, stdout: `${home}/work/made\n`, stderr: "" });
		expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("as it was");
	});
});

const WRITES =
	"(echo x > new; mkdir made; echo x > ../beside) 2>/dev/null; cat known; git rev-parse --show-prefix; ls ..";

describe.skipIf(NO_SANDBOX !== undefined)(`a project where commands have another directory${SKIPPED}`, () => {
	/** Not in the home, which is mounted for itself. */
	function projectIn(directory: string): { root: string; cwd: string } {
		const root = mkdtempSync(join(directory, "agentree-project-"));
		onTestFinished(() => rmSync(root, { recursive: true, force: true }));
		spawnSync("git", ["init", "-q"], { cwd: root });
		const cwd = join(root, "sub");
		mkdirSync(cwd);
		writeFileSync(join(cwd, "known"), "known\n");
		writeFileSync(join(root, "beside-it"), "");
		return { root, cwd };
	}
	const run = (cwd: string, args: readonly string[], command = WRITES) =>
		runProgram(["run", ...args, "--model", "shell", command], { home: temporaryHome(), cwd });

	test.each([
		["--sandbox read-only", "/tmp", ["--sandbox", "read-only"], WRITES],
		["--sandbox read-only", "/var/tmp", ["--sandbox", "read-only"], WRITES],
		["--role explore", "/tmp", ["--sandbox", "workspace", "--role", "explore"], WRITES],
		["a child of --sandbox read-only", "/tmp", ["--sandbox", "read-only"], `agent '${WRITES}'`],
		["a child that is narrowed", "/tmp", ["--sandbox", "workspace"], `agent --sandbox read-only '${WRITES}'`],
		["a grandchild that is narrowed", "/tmp", ["--sandbox", "workspace"], `agent "agent --role plan '${WRITES}'"`],
	])("can be read, whole, and is left as it is: %s in %s", async (_, directory, flags, command) => {
		const { root, cwd } = projectIn(directory);
		const { exit, stdout } = await run(cwd, ["-q", ...flags], command);
		expect([exit, stdout]).toEqual([0, "known\nsub/\nbeside-it\nsub\n"]);
		expect([readdirSync(root), readdirSync(cwd)]).toEqual([[".git", "beside-it", "sub"], ["known"]]);
	});

	test("what is named writable in it is, and what is named hidden is", async () => {
		const { root, cwd } = projectIn("/tmp");
		mkdirSync(join(root, "out"));
		writeFileSync(join(root, ".env"), "secret");
		const flags = ["-q", "--sandbox", "read-only", "--allow-write", "../out", "--deny-read", "../.env"];
		const { exit, stdout } = await run(
			cwd,
			flags,
			"echo x > ../out/new; cat ../.env known; (echo x > new) 2>/dev/null",
		);
		expect([exit, stdout]).toEqual([0, "known\n"]);
		expect([existsSync(join(root, "out/new")), readdirSync(cwd)]).toEqual([true, ["known"]]);
	});

	test("a run whose root has a worktree can read it", async () => {
		const { root, cwd } = projectIn("/tmp");
		const git = (...args: string[]) =>
			spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
		git("add", "-A", "..");
		git("commit", "-qm", "first");
		const reads = `cat ${cwd}/known; (echo x > ${cwd}/new) 2>/dev/null; echo x > mine; ls`;
		const { exit, stdout } = await run(cwd, ["-q", "--sandbox", "workspace", "--worktree"], reads);
		expect([exit, stdout]).toEqual([0, "known\nknown\nmine\n"]);
		expect([readdirSync(cwd), existsSync(join(root, "mine"))]).toEqual([["known"], false]);
	});
});
