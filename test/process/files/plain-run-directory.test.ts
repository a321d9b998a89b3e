/** What is in the directory of a run, for people who search it, and what stays beside its socket. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProgram, temporaryHome } from "../program.ts";

test("while pipes are used, made and waiting, a run's directory holds plain files and directories only; at its end none are left", async () => {
	// Seen to fail with the pipes made in the agent's directory: `grep -r` over it waits on them forever.
	const home = temporaryHome();
	const waits = "until [ -e go ]; do sleep 0.02; done";
	const program = startProgram(["run", "--model", "shell", `agent '${waits}' & ${waits}; wait`], { home });
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1");
	const look = (command: string, ...args: string[]) =>
		spawnSync(command, args, { encoding: "utf8", timeout: 10_000 }).stdout.trim();
	const state = join(home, "agentree");
	expect(look("find", state, "!", "-type", "f", "!", "-type", "d")).toBe("");
	expect(look("grep", "-rl", "until", state)).toContain("events.jsonl");
	expect(look("find", join(home, "run"), "-type", "p")).toContain(".pipes/");
	writeFileSync(join(home, "go"), "");
	expect(await program.ended).toMatchObject({ code: 0 });
	expect(readdirSync(join(home, "run", "agentree"))).toEqual([]);
});
