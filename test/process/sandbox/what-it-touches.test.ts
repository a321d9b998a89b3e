/** What a command in a sandbox can touch, also at the third level of a tree. Writes that come through are seen outside. */
import { spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { census } from "../census.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

/** A project in a home, and a directory beside it. */
function places() {
	const home = temporaryHome();
	const project = join(home, "project");
	const outside = mkdtempSync(join(tmpdir(), "agentree-outside-"));
	onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
	mkdirSync(project);
	spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
	mkdirSync(join(home, ".ssh"));
	writeFileSync(join(home, ".ssh/id"), "secret");
	return { home, project, outside };
}

/** Without the pid in bash's own words. */
const told = ({ exit, stdout }: { exit: unknown; stdout: string }) =>
	`${exit} ${stdout.replace(/: +\d+ Killed/, ": Killed")}`;

/** The command as agent 1 runs it, or as agent 1.1.1 does. */
const atLevel = (level: number, command: string): string =>
	level === 1 ? command : `agent "$(cat <<'END${level}'\n${atLevel(level - 1, command)}\nEND${level}\n)"`;

async function confined(
	command: string,
	{ home, project, level = 1 }: { home: string; project: string; level?: number },
) {
	const args = ["run", "-q", "--sandbox", "workspace", "--model", "shell", atLevel(level, command)];
	return runProgram(args, { home, cwd: project });
}

describe.skipIf(NO_SANDBOX !== undefined)(`a command in a sandbox${SKIPPED}`, () => {
	test.each([1, 3])("writes to its project, and nowhere else: at level %i", async (level) => {
		const at = places();
		const targets = [`${at.outside}/x`, `${at.home}/x`, `${at.home}/.bashrc`, "/etc/agentree-x", "/usr/bin/agentree-x"];
		const command = `echo in > in; ${targets.map((path) => `echo out > ${path}`).join("; ")}; ls "$AGENTREE_HOME"/..; true`;
		const { exit } = await confined(command, { ...at, level });
		expect([exit, readFileSync(join(at.project, "in"), "utf8")]).toEqual([0, "in\n"]);
		expect(targets.filter((path) => existsSync(path))).toEqual([]);
	});

	// Seen to fail: mktemp had nowhere to make a file.
	test.each([1, 3])(
		"makes files of its own in /tmp where the variables for that name a place that it has not: at level %i",
		async (level) => {
			const { home, project, outside } = places();
			mkdirSync(join(project, "own"));
			const env = {
				...{ TMPDIR: "/nowhere/tmp", TMP: outside, TEMP: join(project, "own"), GOTMPDIR: join(home, ".ssh") },
				...{ RUNNER_TEMP: `${outside}/gone`, TMUX_TMPDIR: "/run/user/0", COLOR_TEMP: "5000" },
				...{ GRADLE_TMPDIR: "gone", SCREENDIR: "own" },
				JAVA_TOOL_OPTIONS: `-Xmx1g -Djava.io.tmpdir=${outside} -Dx=y`,
			};
			const names = [...Object.keys(env), "XDG_RUNTIME_DIR"];
			const command = `touch "$(mktemp)" && echo ${names.map((name) => `"$${name}"`).join(" ")}`;
			const args = ["run", "-q", "--sandbox", "workspace", "--model", "shell", atLevel(level, command)];
			const { stdout } = await runProgram(args, { home, cwd: project, env });
			const own = join(project, "own");
			expect(stdout).toBe(`/tmp /tmp ${own} /tmp /tmp /tmp 5000 /tmp own -Xmx1g -Djava.io.tmpdir=/tmp -Dx=y /tmp\n`);
		},
	);

	test.each([1, 3])("reads no secret, and nothing of the run's record: at level %i", async (level) => {
		const at = places();
		const command = `cat ~/.ssh/id; find "$AGENTREE_HOME" -name '*.jsonl' -o -name run.json -o -name agent.json -o -name '.person-key'; ls ~/.ssh`;
		const { stdout } = await confined(command, { ...at, level });
		expect(stdout.replace(/^cat: .*: No such file or directory\n/, "")).toBe("");
	});

	test.each([1, 3])("leaves what git runs as it is: at level %i", async (level) => {
		const at = places();
		const command =
			"echo x > .git/hooks/post-commit; mv .git/hooks .git/h; mv .git g; rm -rf .git/hooks; git config a.b c; git commit -q --allow-empty -m made; git log --format=%s";
		const before = readFileSync(join(at.project, ".git/config"), "utf8");
		const { stdout } = await confined(`git() { command git -c user.name=a -c user.email=b@c "$@"; }; ${command}`, {
			...at,
			level,
		});
		expect(stdout.endsWith("made\n")).toBe(true);
		expect(existsSync(join(at.project, ".git/hooks/post-commit"))).toBe(false);
		expect(readFileSync(join(at.project, ".git/config"), "utf8")).toBe(before);
	});

	test("works with git in submodules, in other work trees and in repositories of the project", async () => {
		const { home, project } = places();
		const who = "-c user.name=n -c user.email=e -c protocol.file.allow=always";
		const setUp = `set -e; git() { command git ${who} "$@"; }; commit() { git "$@" commit -q --allow-empty -m made; }
			git init -q ../lib; commit -C ../lib; git submodule --quiet add ../lib deep/sub; commit; git init -q other; commit -C other
			git worktree add -q linked; git -C deep/sub rev-parse HEAD > ../before; commit -C ../lib`;
		spawnSync("bash", ["-c", setUp], { cwd: project, env: { PATH: process.env.PATH, HOME: home } });
		const works = `set -e; git() { command git ${who} "$@"; }
			for at in . deep/sub other linked; do git -C $at commit -q --allow-empty -m made; done; git -C deep/sub gc -q
			git -C deep/sub pull -q --rebase ../../../lib HEAD; git submodule --quiet foreach 'git checkout -q $sha1'
			git worktree add -q new; git -C new commit -q --allow-empty -m made; git clone -q other cloned; rm -rf cloned
			git -C deep/sub rev-parse HEAD`;
		const { exit, stdout, stderr } = await confined(works, { home, project });
		expect([exit, stdout]).toEqual([0, readFileSync(join(home, "before"), "utf8")]);
		expect(stderr).toMatch(/^changed files that run .*\n *git: new\/\.git .*\n$/); // and nothing was refused
		const made = spawnSync("find", [
			project,
			"-name",
			"alternates",
			"-o",
			"-name",
			"config.worktree",
			"-o",
			"-size",
			"-3c",
			"-name",
			"commondir",
		]);
		expect(made.stdout.toString()).toBe("");
	});

	// Seen to fail: git could not write, and nobody said why.
	test("commits to a repository that .git leads to, and is told of one that another work tree has", async () => {
		const { home, project } = places();
		renameSync(join(project, ".git"), join(home, "own.git"));
		symlinkSync("../own.git", join(project, ".git"));
		const commit =
			"(git -c user.name=n -c user.email=e commit -q --allow-empty -m made; git config a.b c; git log --format=%s) 2>/dev/null";
		const own = await confined(commit, { home, project });
		expect(own.stdout).toBe("made\n");
		rmSync(join(project, ".git"));
		const named = ["run", "-q", "--sandbox", "workspace", "--model", "shell", commit];
		const byVariable = await runProgram(named, { home, cwd: project, env: { GIT_DIR: join(home, "own.git") } });
		expect(byVariable.stdout).toBe("made\nmade\n");
		renameSync(join(home, "own.git"), join(home, ".git"));
		symlinkSync("../.git", join(project, ".git"));
		const args = ["run", "--sandbox", "workspace", "--model", "shell", `${commit}; true`];
		const other = await runProgram(args, { home, cwd: project });
		expect(other.stderr).toContain(`to allow that: --allow-write ${home}/.git\n`);
		expect(other.stdout).toBe("made\nmade\n");
	});

	test.each([1, 3])("sees and signals no process outside: at level %i", async (level) => {
		const at = places();
		const command = `kill -9 ${process.pid}; kill -0 ${process.ppid}; ls -d /proc/${process.pid}; echo end`;
		const { exit, stdout } = await confined(command, { ...at, level });
		expect([exit, stdout.split("\n").slice(-2), /^\/proc/m.test(stdout)]).toEqual([0, ["end", ""], false]);
	});

	test("has a /tmp of the run, which its children share and nobody outside sees", async () => {
		const at = places();
		const { stdout } = await confined(
			`echo shared > /tmp/agentree-note; agent 'cat /tmp/agentree-note /var/tmp/agentree-note'`,
			at,
		);
		expect([stdout, existsSync("/tmp/agentree-note")]).toEqual(["shared\nshared\n", false]);
	});

	test.each([
		["off", `echo x > ../out`, "../out"],
		["workspace --allow-write ..", `echo x > ../out`, "../out"],
		["read-only", `echo x > in`, "in"],
	])("is not widened for a child by --sandbox %s", async (flags, command, path) => {
		const at = places();
		await confined(`agent --sandbox ${flags} '${command}'`, at);
		expect(existsSync(join(at.project, path))).toBe(false);
	});

	// Seen to fail: with --sandbox off, and in the run's /tmp, the child ran and read it.
	test("hides from a child what that is started without, on every level, or does not start it", async () => {
		const { home, project: cwd } = places();
		mkdirSync(join(cwd, "d"));
		for (const name of ["secret", "d/.env"]) writeFileSync(join(cwd, name), `of ${name}\n`);
		const read = "cat secret d/.env .git/config /tmp/x 2>/dev/null";
		const task = `echo of tmp > /tmp/x; agent --deny-read secret --deny-read d --deny-read .git "(${read}; agent '${read}')"
			for at in /tmp/x /proc/self/environ /dev/shm; do agent --deny-read $at "echo ran"; echo $?; done`;
		const args = ["run", "-q", "--model", "shell", "--sandbox"];
		const { stdout, stderr } = await runProgram([...args, "workspace", `${task} 2>&1`], { home, cwd });
		const refused = ["/tmp/x", "/proc/self/environ", "/dev/shm"]
			.map((at) => `agent: --deny-read ${at}: it cannot be hidden: [^\\n]*\\n2\\n`)
			.join("");
		expect([stdout, stderr]).toEqual([expect.stringMatching(new RegExp(`^of tmp\\nof tmp\\n${refused}$`)), ""]);
		const off = await runProgram([...args, "off", 'agent --deny-read secret "cat secret" 2>&1; echo $?'], {
			home,
			cwd,
		});
		expect(off.stdout).toBe(`agent: --deny-read ${cwd}/secret: the run has no sandbox to hide it in\n2\n`);
	});

	test("reads what the commands of agents above it have printed, but not those of others; in a copy of the run, too", async () => {
		// Seen to fail: a child was told a path at which there was nothing, and the copy had paths of the first run.
		const { home, project: cwd } = places();
		const of = (agent: string) => `$AGENTREE_HOME/runs/*/${agent}/out/0001.log`;
		const script = `
agents:
  - task: deep
    turns:
      - run: for one in ${of("1")} ${of("1/2")} ${of("1/1")}; do head -1 $one; done 2>&1 | sed 's/.*No such/no such/'
      - say: "{{output}}"
  - task: above
    turns:
      - run: echo of the child; agent deep
      - say: "{{output}}"
  - task: beside
    turns:
      - run: echo of another
      - say: done
  - turns:
      - run: echo of the root; agent beside; agent above
      - say: "{{output}}"
      - run: head -qn1 ${of("1")} ${of("1/2")}; for one in ${of("1")}; do echo x >> $one || echo kept; done
      - say: "{{output}}"
`;
		writeFileSync(join(home, "s.yaml"), script);
		const first = await runProgram(["run", "-q", "--sandbox", "workspace", "-m", `script:${home}/s.yaml`, "go"], {
			home,
			cwd,
		});
		const printed = "of the root\ndone\nof the child\nof the root\nof the child\nno such file or directory\n";
		expect(first).toEqual({ exit: 0, stdout: printed, stderr: "" });
		const copy = await runProgram(["run", "-q", "-c", "--fork", "again"], { home, cwd });
		const both = "of the root\nof the root\nof the child\nof the child\n"; // at the paths of the first run, too
		expect(copy.stdout).toMatch(
			new RegExp(`^${both}.*Read-only file system\nkept\n.*Read-only file system\nkept\n`, "s"),
		);
	});

	test("cleans its project with git, which leaves what the sandbox keeps, and a state directory there is no part of it", async () => {
		// Seen to fail: git clean had a warning for each mount, and the exit status 1; git status had the state directory.
		const { home, project: cwd } = places();
		for (const name of [".vscode", "node_modules", "a b[c]"]) mkdirSync(join(cwd, name));
		for (const name of [".envrc", ".vscode/x", "node_modules/x", "junk", "a b[c]/.envrc"])
			writeFileSync(join(cwd, name), "");
		writeFileSync(join(cwd, ".gitignore"), "node_modules\n");
		const command = `git -c user.name=a clean -fdx; echo "status $?"; ls -A; git status --short`;
		const args = ["run", "-q", "--sandbox", "workspace", "--deny-read", "a b[c]", "--model", "shell", command];
		const { exit, stdout } = await runProgram(args, { home, cwd, env: { AGENTREE_HOME: join(cwd, "state") } });
		expect(exit).toBe(0);
		expect(stdout).toMatch(/^Removing .gitignore\nRemoving junk\nRemoving node_modules\/\nstatus 0\n/);
		expect(stdout).toMatch(/\n\.envrc\n\.git\n\.idea\n\.vscode\na b\[c\]\nstate\n\?\? \.envrc\n\?\? \.vscode\/\n$/);
		const env = { PATH: process.env.PATH, HOME: home };
		const outside = spawnSync("git", ["status", "--short"], { cwd, encoding: "utf8", env });
		expect(outside.stdout).toBe('?? .envrc\n?? .vscode/\n?? "a b[c]/"\n');
	});

	test("what it leaves running is named, gets the grace at its agent's end, and is over then", async () => {
		const at = places();
		const left = `(trap 'echo asked >asked; exit' TERM; touch ready; while :; do sleep 0.05; done) >/dev/null 2>&1 &
			until [ -e ready ]; do sleep 0.02; done; sleep 611 >/dev/null 2>&1 &`;
		const { home } = at;
		const args = ["run", "-q", "--sandbox", "workspace", "--model", "shell", left];
		const program = startProgram(args, { home, cwd: at.project });
		await program.ended;
		const ended = program.events().find(({ event }) => event === "command_ended");
		const names = ended?.event === "command_ended" ? ended.leftRunning.map(({ name }) => name) : [];
		expect(names.sort().filter((name, n) => name !== names[n - 1])).toEqual(["bash", "sleep"]);
		expect([readFileSync(join(at.project, "asked"), "utf8"), census(program)]).toEqual(["asked\n", []]);
	});

	test("ends with its exit status, or by its signal, as one without", async () => {
		const at = places();
		const seen = await Promise.all(
			["exit 7", "kill -9 $$", "kill -TERM $$", "sh -c 'kill -9 $$'; exit 137", "echo out; echo err >&2"].map(
				async (command) => {
					const run = (mode: string) =>
						runProgram(["run", "--sandbox", mode, "--model", "shell", command], { cwd: at.project });
					const [one, other] = await Promise.all([run("workspace"), run("off")]);
					return told(one) === told(other) ? "same" : [command, one, other];
				},
			),
		);
		expect(seen).toEqual(Array(5).fill("same"));
	});
});

// Seen to fail: with an empty entry in PATH the project's own mkfifo and prlimit ran, outside of the sandbox.
test("what the program itself starts never lies in the project, whatever PATH says", async () => {
	const home = temporaryHome();
	const project = join(home, "project");
	mkdirSync(project);
	const names = "bash sh git ps cat rm true mkfifo prlimit bwrap nsenter mount sleep kill env node".split(" ");
	for (const name of names)
		writeFileSync(join(project, name), `#!/bin/sh\necho "$0" "$@" >> ${project}/ran\nexit 1\n`, { mode: 0o755 });
	const env = { PATH: `:.:bin:${process.env.PATH}` };
	const ends = await Promise.all(
		["workspace", "off"].map((mode) =>
			runProgram(["run", "-q", "--sandbox", mode, "--model", "shell", "echo hi"], { home, cwd: project, env }),
		),
	);
	expect(existsSync(join(project, "ran")) ? readFileSync(join(project, "ran"), "utf8") : "").toBe("");
	expect(ends.map(({ stdout }) => stdout)).toEqual(["hi\n", "hi\n"]);
});

test("where none can be made, a run that requires one is refused and another says why", async () => {
	const home = temporaryHome();
	mkdirSync(join(home, "bin"));
	const env = { PATH: join(home, "bin") };
	for (const name of ["bash", "mkfifo"]) {
		const path = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
		symlinkSync(path, join(home, "bin", name));
	}
	const required = await runProgram(["run", "--sandbox", "required", "--model", "shell", "echo hi"], { home, env });
	expect([required.exit, required.stdout]).toEqual([2, ""]);
	expect(required.stderr).toMatch(/no sandbox: bwrap was not found: install the package bubblewrap .*refuses to start/);
	const wished = await runProgram(["run", "--sandbox", "workspace", "--model", "shell", "echo hi"], { home, env });
	expect([wished.exit, wished.stdout]).toEqual([0, "hi\n"]);
	expect(wished.stderr).toMatch(
		/^agent: no sandbox: bwrap was not found: .*; agents can do anything you can \(--sandbox off [^\n]*\n/,
	);
});
