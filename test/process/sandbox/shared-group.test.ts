/** A project that several people have: its directories have the bit of their group, which copies of them keep. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runProgram, startLine, temporaryHome } from "../program.ts";
import { give, USERS } from "./as-other-user.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

describe.skipIf(NO_SANDBOX !== undefined)(`a shared repository${SKIPPED}`, () => {
	// Seen to fail: git and cp were refused the bit for directories, too.
	test("can be written to in a sandbox as ever, but no program of the user is made in it", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		spawnSync("git", ["init", "-q", "--shared", project], { env: { PATH: process.env.PATH, HOME: home } });
		const command =
			"umask 022; git -c user.name=a -c user.email=a@b commit -qm one --allow-empty && mkdir -m 2775 a && cp -a a b && echo done; cp /bin/true x; chmod 4755 x";
		const { stdout, exit } = await runProgram(["run", "-q", "--model", "shell", command], { home, cwd: project });
		expect([exit, stdout]).toEqual([0, expect.stringMatching(/^done\nchmod: .* not permitted\n/)]);
		expect(["a", "b", "x"].map((name) => statSync(join(project, name)).mode & 0o6000)).toEqual([0o2000, 0o2000, 0]);
	});

	// Seen to fail: the run of the other user took away what that of root stood on.
	test.skipIf(USERS.length < 2)("keeps what another user's run stands on until the last of them ends", async () => {
		const home = temporaryHome();
		const [project, others] = [join(home, "project"), join(home, "others")];
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		chmodSync(home, 0o755);
		for (const path of [project, join(project, ".git")]) chmodSync(path, 0o777);
		mkdirSync(others);
		give(others);
		const run = (user: string, state: string, command: string) =>
			startLine(`cd "$PROJECT" && exec ${user} "$@" run -q --trust --sandbox workspace --model shell "$COMMAND"`, {
				home,
				env: { PROJECT: project, COMMAND: command, AGENTREE_HOME: state, HOME: others },
			});
		const first = run("", join(home, "agentree"), "touch ready; until [ -e over ]; do sleep 0.01; done");
		await vi.waitFor(() => expect(existsSync(join(project, "ready"))).toBe(true), { timeout: 20_000 });
		const second = await run(USERS[1]?.as ?? "", join(others, "agentree"), "true").ended;
		const stands = () => [".vscode", ".git/commondir"].map((name) => existsSync(join(project, name)));
		expect([second.code, stands()]).toEqual([0, [true, true]]);
		writeFileSync(join(project, "over"), "");
		expect([(await first.ended).code, stands()]).toEqual([0, [false, false]]);
	});
});
