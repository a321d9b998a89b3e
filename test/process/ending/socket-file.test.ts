/** A run whose socket was removed, as a logout does it that clears XDG_RUNTIME_DIR, or a cleaner of /tmp. */
import { expect, test } from "vitest";
import { runProgram } from "../program.ts";

test("a child that starts just when the socket's whole directory was removed joins all the same", async () => {
	// Seen to fail without `keepListening`, and with a child that gives up at the first ENOENT.
	const task = `rm -r "\${AGENTREE_SOCKET%/*}"; agent 'echo child'; echo after`;
	const ended = await runProgram(["run", "--model", "shell", task]);
	expect(ended).toEqual({ exit: 0, stdout: "child\nafter\n", stderr: "" });
});
