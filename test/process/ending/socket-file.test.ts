/** A run whose socket was removed, as a logout does it that clears XDG_RUNTIME_DIR, or a cleaner of /tmp. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

test("commands and a child that start just when the socket's whole directory was removed work all the same", async () => {
	// Seen to fail without `keepListening`, with a child that gives up at the first ENOENT, and with no pipe for a command.
	const home = temporaryHome();
	const turns = `[{run: 'rm -r "\${AGENTREE_SOCKET%/*}"'}, {run: [echo command, agent child]}, {say: "{{output}}"}]`;
	writeFileSync(
		join(home, "script.yaml"),
		`agents: [{path: "1", turns: ${turns}}, {path: "1.1", turns: [{say: child}]}]`,
	);
	const { exit, stdout } = await runProgram(["run", "--model", "script:script.yaml", "go"], { home });
	expect([exit, stdout.split("\n").filter((line) => line !== "")]).toEqual([0, ["command", "child"]]);
});
