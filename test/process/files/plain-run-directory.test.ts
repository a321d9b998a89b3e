/** What is in the directory of a run, for people who search it, and what stays beside its socket. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

test("while pipes are used, made and waiting, a run's directory holds plain files and directories only; at its end none are left", async () => {
	// Seen to fail with the pipes made in the agent's directory: `grep -r` over it waits on them for ever.
	const home = temporaryHome();
	const look = 'find "$AGENTREE_HOME" ! -type f ! -type d; grep -rq nowhere "$AGENTREE_HOME"';
	const pipes = 'find "$XDG_RUNTIME_DIR" -type p | grep -c pipes/';
	const task = `agent 'for i in 1 2 3; do ${look}; done; ${look}' & ${look}; ${pipes} > piped; wait`;
	const { exit, stdout } = await runProgram(["run", "--model", "shell", `${task}; test "$(cat piped)" -gt 0`], {
		home,
	});
	expect([exit, stdout]).toEqual([0, ""]);
	expect(readdirSync(join(home, "run", "agentree"))).toEqual([]);
});
