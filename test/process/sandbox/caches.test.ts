/** What commands write where tools keep what they fetch and build, as the user of the tests and as another one. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { runProgram, startLine, startProgram, temporaryHome } from "../program.ts";
import { give, USERS } from "./as-other-user.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

function places() {
	const home = temporaryHome();
	for (const each of ["project", ".npm/_cacache", ".cargo"]) mkdirSync(join(home, each), { recursive: true });
	writeFileSync(join(home, ".npm/fetched"), "before");
	writeFileSync(join(home, ".cargo/credentials.toml"), "secret");
	return home;
}

async function run(command: string, { home, as, flags }: { home: string; as: string; flags: string }) {
	if (as !== "") give(home);
	const line = `cd "$HOME/project" && exec ${as} "$@" run -q --sandbox ${flags} --model shell "$TASK"`;
	const { code, stdout, stderr } = await startLine(line, { home, env: { TASK: command } }).ended;
	return [code, stdout.toString(), stderr.toString()];
}

const WITH = ["workspace", "read-only", "workspace --net none"];

describe.skipIf(NO_SANDBOX !== undefined)(`the caches of tools in a sandbox${SKIPPED}`, () => {
	test.each(USERS.flatMap(({ name, as }) => WITH.map((flags) => [name, flags, as] as const)))(
		"are written to for the run alone, by all of its agents: as %s, %s",
		async (_, flags, as) => {
			const home = places();
			const command = `
				cat ~/.npm/fetched ~/.cargo/credentials.toml; echo changed > ~/.npm/fetched; mkdir ~/.npm/new; mv ~/.npm/_cacache ~/.npm/moved
				agent 'cat ~/.npm/fetched; echo by-child > ~/.npm/new/file; chmod 0 ~/.npm/new/file; chmod 0555 ~/.npm/new; agent "ls -d ~/.npm/*"'
				echo out > ~/outside`;
			const [code, stdout] = await run(`(${command}) 2>/dev/null; true`, { home, as, flags });
			const inNpm = ["fetched", "moved", "new"].map((name) => `${home}/.npm/${name}`);
			expect([code, stdout]).toEqual([0, `${["beforechanged", ...inNpm].join("\n")}\n`]);
			expect(readdirSync(join(home, ".npm")).sort()).toEqual(["_cacache", "fetched"]);
			expect(readFileSync(join(home, ".npm/fetched"), "utf8")).toBe("before");
			const runs = join(home, "agentree/runs");
			expect(existsSync(join(runs, readdirSync(runs)[0] ?? "", "layers"))).toBe(false);
		},
	);

	test("that are not there lie in the run's /tmp", async () => {
		const home = places();
		const command = `agent 'mkdir -p "$GRADLE_USER_HOME" && echo "$GRADLE_USER_HOME \${CARGO_HOME:-usual}"'`;
		const found = await run(command, { home, as: "", flags: "workspace" });
		expect(found).toEqual([0, "/tmp/.caches/gradle usual\n", ""]);
	});

	// Seen to fail without `volatile`, and with the same directory of the kernel's for both mounts.
	test("go on with a killed run, and what others write to the disk does not hold up its end", async () => {
		const home = places();
		const cwd = join(home, "project");
		const write = "echo kept > ~/.npm/kept; touch ready; sleep 1000";
		const killed = startProgram(["run", "-q", "--model", "shell", write], { home, cwd });
		await vi.waitFor(() => expect(existsSync(join(cwd, "ready"))).toBe(true), WAIT);
		killed.kill("SIGKILL");
		await killed.ended;
		const read =
			"cat ~/.npm/kept; echo changed > ~/.npm/kept; cat ~/.npm/kept; grep -q '/.npm .*upperdir.*volatile' /proc/self/mountinfo && echo volatile";
		const resumed = await runProgram(["resume", "-q", basename(await killed.runDirectory()), read], { home, cwd });
		expect([resumed.stderr, resumed.stdout]).toEqual(["", "kept\nchanged\nvolatile\n"]);
	});

	test("take what npm installs", async () => {
		const home = places();
		mkdirSync(join(home, "package"));
		writeFileSync(join(home, "package/package.json"), '{"name":"fetched","version":"1.0.0"}');
		const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", join(home, "project")], {
			cwd: join(home, "package"),
			env: { PATH: process.env.PATH, HOME: home },
		});
		expect(packed.status).toBe(0);
		const before = readdirSync(join(home, ".npm"), { recursive: true }).length;
		const command =
			"npm install --silent --offline --no-audit --no-fund ./fetched-1.0.0.tgz && npm ci --silent --offline --no-audit --no-fund && ls node_modules";
		expect(await run(command, { home, as: "", flags: "workspace" })).toEqual([0, "fetched\n", ""]);
		expect(readdirSync(join(home, ".npm"), { recursive: true }).length).toBe(before);
	});
});
