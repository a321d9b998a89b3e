/** What a command in a sandbox can touch, also at the third level of a tree. Writes that come through are seen outside. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
		/^agent: no sandbox: bwrap was not found: .*; agents may do what you may \(--sandbox off: [^\n]*\n/,
	);
});
