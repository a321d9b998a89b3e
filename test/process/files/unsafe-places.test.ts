/** Runs and sockets where another user could change them: whole program, as root, who alone can make what is another's. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

const OTHER = 4711;
const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)(
	"root with another user's variables writes nothing into their directories, and says where it writes",
	async () => {
		// Seen to fail: the run and its socket lay in the other user's directories.
		const home = temporaryHome();
		const theirs = join(home, "theirs");
		const cwd = join(home, "project");
		for (const directory of [theirs, cwd]) mkdirSync(directory);
		chownSync(theirs, OTHER, OTHER);
		const env = { AGENTREE_HOME: "", XDG_STATE_HOME: theirs, XDG_RUNTIME_DIR: theirs };
		const end = await runProgram(["run", "--model", "shell", 'agent "echo child"'], { home, env, cwd });
		expect(end).toMatchObject({ exit: 0, stdout: "child\n" });
		const state = join(home, ".local/state/agentree");
		const why = `${theirs} belongs to user ${OTHER}, not to you (0)`;
		const notice = `agent: storing runs in ${state} instead of ${theirs}/agentree: ${why}`;
		const [first, second, ...rest] = end.stderr.split("\n");
		expect([first, second?.replace(/\d{8}-\d{6}-\w+/, "RUN"), rest]).toEqual([
			notice,
			`agent: the socket of this run is /tmp/agentree-0/RUN.sock: ${why}`,
			[""],
		]);
		expect(readdirSync(theirs)).toEqual([]);
		const [run = ""] = readdirSync(join(state, "runs"));
		const listed = await runProgram(["ps", "-a"], { home, env, cwd });
		expect([listed.stdout, listed.stderr]).toEqual([expect.stringContaining(run), `${notice}\n`]);
	},
);

test("an AGENTREE_HOME where everyone may write is refused for runs with what to do, and may be read", async () => {
	const home = temporaryHome();
	const open = join(home, "open");
	mkdirSync(open);
	chmodSync(open, 0o777);
	const env = { AGENTREE_HOME: open };
	expect(await runProgram(["run", "--model", "shell", "echo hi"], { home, env })).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: `agent: cannot use the directory ${open}: ${open} is writable by everyone (fix: chmod go-w); set AGENTREE_HOME (runs) or XDG_RUNTIME_DIR (sockets) to another path\n`,
	});
	expect(await runProgram(["ps"], { home, env })).toMatchObject({
		exit: 0,
		stderr: expect.stringContaining("no runs"),
	});
	expect([readdirSync(open), existsSync(join(home, "run", "agentree"))]).toEqual([[], false]);
});
