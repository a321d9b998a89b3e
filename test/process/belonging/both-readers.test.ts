/**
 * What is promised of deaths, stops and escaped processes, with each reader of the process table, in few runs. Living
 * processes are counted by /proc, so that no reader is asked about itself.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { census, endings } from "../census.ts";
import { type Program, runProgram, startLine, startProgram } from "../program.ts";
import { signalAgent } from "../sandboxed.ts";

/** Hides the cgroups: then only the process table finds the escaped processes, as on macOS. */
const HIDE = "mount -t tmpfs none /sys/fs/cgroup";
const UNSHARE = "unshare --user --map-root-user --mount";
const mayHide = spawnSync("bash", ["-c", `${UNSHARE} sh -c '${HIDE}'`]).status === 0;
const HIDDEN = mayHide ? `exec ${UNSHARE} sh -c '${HIDE} && exec "$@"' sh` : "exec";

/** A leaf is killed, then a middle agent with one below it, then a bash between two; each has left a daemon or a child. */
const DEATHS = `
agent 'agent "(setsid sleep 641 >/dev/null 2>&1 &); touch leaf; sleep 642"; echo "leaf: $?"'
agent 'agent "touch below; sleep 643" & until [ -e below ]; do sleep 0.02; done
	(setsid sleep 644 >/dev/null 2>&1 &); touch middle; sleep 645'; echo "middle: $?"
agent 'agent "touch between; sleep 646" & until [ -e between ]; do sleep 0.02; done; kill -9 $$'
echo over; sleep 647`;

/**
 * Each process has left session, parent or environment, or two of them; one ignores SIGTERM; a child agent has no
 * environment.
 */
const ESCAPEES = `(setsid sleep 651 >/dev/null 2>&1 &); nohup sleep 652 >/dev/null 2>&1 & disown -a
(setsid bash -c 'trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 &)
env -i setsid sleep 653 >/dev/null 2>&1 &
env -i $(command -v agent) "touch started; sleep 654"`;

function outputOf(directory: string): string {
	const log = join(directory, "1", "out", "0001.log");
	return existsSync(log) ? readFileSync(log, "utf8") : "";
}

function sleepsIn(program: Program): number {
	return census(program).filter(({ name }) => name === "sleep").length;
}

describe.each(["proc", "ps"])("with the process table read by %s", { timeout: 60_000 }, (reader) => {
	const start = (task: string) =>
		startProgram(["run", "--model", "shell", task], { env: { AGENTREE_PROCESS_TABLE: reader } });

	test("whoever is killed, all below is gone, all above goes on and is told, and the record says it", async () => {
		// Seen to fail with the `end` effect left out of decide's `end`, and with `endAll` left out of a shell's signal.
		const program = start(DEATHS);
		const directory = await program.runDirectory();
		for (const [marker, agent] of [
			["leaf", "1.1.1"],
			["middle", "1.2"],
		] as const) {
			await vi.waitFor(() => expect(existsSync(join(program.home, marker))).toBe(true), WAIT);
			await signalAgent(program, agent);
		}
		await vi.waitFor(() => expect(outputOf(directory)).toContain("over\n"), WAIT);
		await vi.waitFor(() => expect(sleepsIn(program)).toBe(1), WAIT);
		const told = outputOf(directory).replace(/^.* Killed .*\n(\t.*\n)*/gm, "");
		expect(told).toBe("leaf: 137\nmiddle: 137\nagent 1.3.1: stopped: got SIGTERM\nover\n");
		const root = program.events().find(({ event }) => event === "agent_joined");
		process.kill(root?.event === "agent_joined" ? root.pid : 0, "SIGKILL");
		expect((await program.ended).code).toBe(137);
		expect(census(program)).toEqual([]);
		expect(endings(program.events())).toEqual({
			...{ "1": "killed", "1.1": "answer", "1.1.1": "killed" },
			...{ "1.2": "killed", "1.2.1": "stopped", "1.3": "answer", "1.3.1": "stopped" },
		});
	});

	test("a stop ends what has left session, parent or environment, and a child without one was at its place", async () => {
		// Seen to fail, with both readers, with the cookie left out of `isOfCommand` and of the claims of RunProcesses.
		const line = `${HIDDEN} "$@" run --model shell "$TASK"`;
		const program = startLine(line, { env: { AGENTREE_PROCESS_TABLE: reader, TASK: ESCAPEES } });
		await vi.waitFor(() => expect(existsSync(join(program.home, "started"))).toBe(true), WAIT);
		await vi.waitFor(() => expect(sleepsIn(program)).toBeGreaterThanOrEqual(3), WAIT);
		const stopped = await runProgram(["stop"], { home: program.home, env: { AGENTREE_PROCESS_TABLE: reader } });
		const slow = expect.stringMatching(/^(agent: (waiting for the supervisor|stopping run) .*\n)*$/); // ps on a busy machine
		expect(stopped).toEqual({
			...{ exit: 0, stdout: expect.stringMatching(/^stopped run \S+ \(2 agents\)\n$/) },
			stderr: slow,
		});
		expect([census(program), (await program.ended).code]).toEqual([[], 143]);
		expect(endings(program.events())).toEqual({ "1": "stopped", "1.1": "stopped" });
		const clock = reader === "ps" ? /^ps:\d{10}$/ : /^\d+$/;
		expect(program.events()[0]).toMatchObject({ event: "run_started", startTime: expect.stringMatching(clock) });
		expect(program.events().at(-1)).toMatchObject({ event: "run_ended", survivors: [] });
	});
});
