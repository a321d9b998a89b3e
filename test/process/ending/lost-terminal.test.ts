/** A program whose terminal is gone: the far end of its pseudo terminal was closed. */
import { expect, test } from "vitest";
import { startLine } from "../program.ts";

/** Starts the program in a terminal, closes that once the run's agent has begun to work, and prints how the program ended. */
const CLOSES_TERMINAL = `
import glob, os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
while not glob.glob("agentree/runs/*/1/out/*"):
    if select.select([terminal], [], [], 0.02)[0]: os.read(terminal, 65536)
os.close(terminal)
status = os.waitpid(pid, 0)[1]
print(os.waitstatus_to_exitcode(status))
`;

// Seen to fail without letGoOfLostTerminal, with -6: Node aborts when it cannot set a terminal's modes back.
test.each([["run"], ["tree"], ["talk"]])("agent %s ends with the exit code of SIGHUP", async (command) => {
	const message = "echo begun; sleep 100";
	const line = `python3 -c '${CLOSES_TERMINAL}' "$@" ${command} --model shell '${message}'`;
	const { stdout, stderr } = await startLine(line, { env: { TERM: "xterm" } }).ended;
	expect([stdout.toString(), stderr.toString()]).toEqual(["129\n", ""]);
});
