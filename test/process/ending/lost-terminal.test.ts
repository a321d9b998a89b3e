/** A program whose terminal is gone: the far end of its pseudo terminal was closed. */
import { expect, test } from "vitest";
import { startLine } from "../program.ts";

/** Starts the program in a terminal, closes that once there is such a file, and prints how the program ended. */
const closesTerminalAt = (file: string) => `
import glob, os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
while not glob.glob("${file}"):
    if select.select([terminal], [], [], 0.02)[0]: os.read(terminal, 65536)
os.close(terminal)
status = os.waitpid(pid, 0)[1]
print(os.waitstatus_to_exitcode(status))
`;

const started = (command: string, file: string) => {
	const message = "echo begun; sleep 100";
	const line = `python3 -c '${closesTerminalAt(file)}' "$@" ${command} --model shell '${message}'`;
	return startLine(line, { env: { TERM: "xterm" } });
};

// Seen to fail without letGoOfLostTerminal, with -6: Node aborts when it cannot set a terminal's modes back.
test.each([["run"], ["tree"], ["chat"], ["talk"]])("agent %s ends with the exit code of SIGHUP", async (command) => {
	const { stdout, stderr } = await started(command, "agentree/runs/*/1/out/*").ended;
	expect([stdout.toString(), stderr.toString()]).toEqual(["129\n", ""]);
});

// Seen to fail without held signals, with -1: the run went on, and nobody was there to end it.
test("a terminal that is closed before the dashboard is there ends the run, too", async () => {
	const program = started("tree", "agentree/runs/*/run.json");
	const { stdout } = await program.ended;
	expect(stdout.toString()).toBe("129\n");
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", exitCode: 129 });
});
