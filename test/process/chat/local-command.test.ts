import { expect, test } from "vitest";
import { runLocalCommand } from "../../../src/faces/chat/local-command.ts";
import type { LocalEnd } from "../../../src/faces/chat/local-output.ts";

/** Runs it to its end. */
function run(line: string, onLines: (lines: readonly string[]) => void = () => {}) {
	const env = { PATH: process.env.PATH, OWN: "mine" };
	let end: () => Promise<void> = async () => {};
	const ended = new Promise<LocalEnd>((onEnd) => {
		end = runLocalCommand({ line, directory: "/tmp", env, now: () => 0, onLines, onEnd });
	});
	return { ended, end };
}

test("it runs in the directory with the person's environment; stdout and stderr are in their order", async () => {
	const { output, trouble } = await run('pwd; echo err > /dev/stderr; echo "$OWN"; read -r x || echo nothing to read')
		.ended;
	expect({ output, trouble }).toEqual({ output: "/tmp\nerr\nmine\nnothing to read\n", trouble: undefined });
});

test.each([
	["exit 3", "exit status 3"],
	["kill -KILL $$", "ended by SIGKILL"],
	["(", "exit status 2"],
])("%s: %s", async (line, trouble) => {
	expect((await run(line).ended).trouble).toBe(trouble);
});

test("a process that it leaves in the background does not hold it up", async () => {
	const { output } = await run("sleep 5 & echo done").ended;
	expect(output).toBe("done\n");
});

test("ended, all of its session ends with it", async () => {
	let isSleeping = () => {};
	const sleeping = new Promise<void>((resolve) => {
		isSleeping = resolve;
	});
	const { ended, end } = run("sleep 300 & echo up; wait", isSleeping);
	await sleeping;
	await end();
	expect((await ended).trouble).toBe("ended by SIGTERM");
});
