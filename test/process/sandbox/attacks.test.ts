/** Attacks from inside a sandbox, at the first and at the third level of a tree, as the user of the tests and as another one. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startLine, temporaryHome } from "../program.ts";
import { give, USERS } from "./as-other-user.ts";
import { atLevel } from "./at-level.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const FILES: Readonly<Record<string, string>> = {
	".ssh/id": "secret",
	".bashrc": "",
	"victim/file": "as it was",
	"secrets/key": "secret",
	".npm/fetched": "as it was",
	".cargo/credentials.toml": "secret",
	"named.json": "secret",
	".local/state/agentree/runs/other-run/run.json": "{}",
	"project/.vscode/tasks.json": "{}",
	"project/.envrc": "",
	"project/AGENTS.md": "",
	"project/hooks-of-project/post-commit": "",
	".config/agentree/own.md": "own secret",
	"project/bin/tool": "",
	"project/.git/modules/sub/HEAD": "ref: refs/heads/main\n",
	"project/.git/modules/sub/config": "[core]\n\tworktree = ../../../sub\n",
	"project/.git/modules/sub/objects/info/packs": "",
	"project/sub/.git": "gitdir: ../.git/modules/sub\n",
	"project/nested/.git/HEAD": "ref: refs/heads/main\n",
	"project/.git/worktrees/other/HEAD": "ref: refs/heads/main\n",
	"project/.git/worktrees/other/commondir": "../..\n",
	"project/.git/worktrees/other/gitdir": "/nowhere/.git\n",
};

async function place() {
	const home = temporaryHome();
	const project = join(home, "project");
	spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
	for (const [name, text] of Object.entries(FILES)) {
		mkdirSync(join(home, name, ".."), { recursive: true });
		writeFileSync(join(home, name), text);
	}
	const env = { PATH: process.env.PATH, HOME: home };
	spawnSync("git", ["config", "core.hooksPath", "hooks-of-project"], { cwd: project, env });
	const server = createServer((socket) => socket.destroy());
	onTestFinished(() => void server.close());
	await new Promise<void>((resolve) => server.listen(join(home, "other.sock"), resolve));
	return { home, project };
}

/** Listens at names that the kernel's table does not have as they are, and on a socket that comes later. */
const LISTENS = `
	use IO::Socket::UNIX; chdir($ENV{HOME}) or die;
	sub at { IO::Socket::UNIX->new(Local => $_[0], Listen => 5) or die "$_[0]: $!" }
	my @all = (at("moved.sock"), at("first.sock"), at("$ENV{HOME}/project/before.sock"));
	rename("moved.sock", "renamed.sock"); link("first.sock", "linked.sock");
	print "ready\n"; close(STDOUT);
	select(undef, undef, undef, 0.05) until -e "project/bind-now";
	push @all, at("late.sock"); open(my $f, ">", "project/bound"); sleep 100`;

/** A process outside with the secret in its environment, as a person's shell has it, and with sockets. */
async function startOutside(as: string, env: Record<string, string>): Promise<number> {
	const child = spawn("sh", ["-c", `exec ${as} perl -e "$LISTENS"`], {
		env: { PATH: process.env.PATH, LISTENS, ...env },
	});
	await new Promise((resolve) => child.stdout.once("data", resolve));
	onTestFinished(() => void child.kill("SIGKILL"));
	return child.pid ?? 0;
}

const ENV = { ANTHROPIC_API_KEY: "sk-ant-attack-key" };
/** The run has a keyring of its session, with a key in it. */
const KEYRING = `perl -e 'my @n = (qx(uname -m) =~ /aarch64/) ? (219, 217) : (250, 248); my ($t, $d, $s) = ("user", "agentree-attack", "secret"); syscall($n[0], 1, 0); syscall($n[1], $t, $d, $s, 6, -3) > 0 or die "no key"; exec @ARGV' `;

/** A directory that its owner must open first to remove what is in it. */
const LEAVES = "mkdir -p /tmp/left/in; : > /tmp/left/in/x; chmod 0555 /tmp/left/in; chmod 0 /tmp/left";

function script(attacks: readonly Attack[]): string {
	const each = attacks.map(
		({ tries, by }) =>
			`if (cd "$PROJECT"; ${by}\n) < /dev/null > /dev/null 2>&1; then echo ${JSON.stringify(tries)}; fi`,
	);
	return `${each.join("\n")}\n${LEAVES}\necho end`;
}

describe.skipIf(NO_SANDBOX !== undefined)(`what comes through a sandbox${SKIPPED}`, () => {
	test.each(USERS.flatMap(({ name, as }) => [1, 3].map((level) => [name, level, as] as const)))(
		"is nothing: as %s, at level %i",
		async (_, level, as) => {
			const { home, project } = await place();
			writeFileSync(join(home, "task"), atLevel(level, script(ATTACKS)));
			if (as !== "") give(home);
			const outside = await startOutside(as, { ...ENV, HOME: home });
			const line = `cd "$PROJECT" && OUTSIDE_PIDS="$$ $OUTSIDE" exec ${as} ${KEYRING} "$@" run -q --trust --sandbox workspace --deny-read "$HOME/secrets" --model shell "$(cat "$HOME/task")"`;
			const env = {
				...{ ...ENV, PROJECT: project, OUTSIDE: String(outside), AWS_CONFIG_FILE: join(home, "named.json") },
				PATH: `${process.env.PATH}:${join(project, "bin")}`,
			};
			const { code, stdout, stderr } = await startLine(line, { home, env }).ended;
			expect([code, stdout.toString(), stderr.toString()]).toEqual([0, "end\n", ""]);
			const runs = join(home, "agentree/runs");
			expect(readdirSync(runs).filter((run) => existsSync(join(runs, run, "tmp")))).toEqual([]);
			const told = readdirSync(runs, { recursive: true, encoding: "utf8" })
				.filter((name) => name.endsWith("/agent.json"))
				.map((name) => readFileSync(join(runs, name), "utf8"));
			expect([told.length > level, told.filter((text) => text.includes("own secret"))]).toEqual([true, []]);
			const made = readdirSync(join(home, "victim")).map((name) => [
				name,
				readFileSync(join(home, "victim", name), "utf8"),
			]);
			const cached = readdirSync(join(home, ".npm")).map((name) => readFileSync(join(home, ".npm", name), "utf8"));
			expect(cached).toEqual(["as it was"]);
			expect([made, existsSync(join(project, ".git/hooks/post-checkout"))]).toEqual([[["file", "as it was"]], false]);
		},
	);
});
