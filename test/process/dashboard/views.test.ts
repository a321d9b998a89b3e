/** The timeline, the list of events and the details of an agent, in a real terminal: of a run that lives, and that is over. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

const SCRIPT = `
agents:
  - path: "1"
    turns:
      - run: agent "fails - $(seq -s ' ' 100) and here it ends"; agent "waits - until somebody lets it go on"
      - say: both are over
  - task: "fails *"
    turns:
      - error: { status: 400, type: invalid_request_error, message: no such file }
  - task: "waits *"
    turns:
      - run: until [ -e go ]; do sleep 0.05; done
      - say: went
`;

/** A terminal in a home of its own, whose shell knows the program as `agent`. */
function terminalIn(home: string) {
	mkdirSync(join(home, "terminal"));
	const terminal = openTerminal(join(home, "terminal"));
	terminal.type(
		`cd ${home}; export AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; agent() { ${process.execPath} ${AGENT_PROGRAM} "$@"; }; clear`,
	);
	return terminal;
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("t, e and i show what agents did, what happened, and the whole of an agent; also when the run is over", async () => {
		const home = temporaryHome();
		writeFileSync(join(home, "s.yaml"), SCRIPT);
		const terminal = terminalIn(home);
		terminal.type("agent tree --model script:s.yaml 'try both'");
		await terminal.shows(/─● 2 waits[\s\S]*1\.1 FAILED: no such file.*\(e: all events\)/);

		terminal.press("t");
		await terminal.shows(/Timeline .*esc closes[\s\S]*1 try both .*─[\s\S]*1\.1 fails .*✗ .*[\s\S]*1\.2 waits .*█/);
		terminal.press("G");
		await terminal.shows(/^. 1\.2 {2}(?:ran|thought) \d+/m); // what the selected agent did for how long
		terminal.press("Enter");
		await terminal.showsNo(/Timeline/);
		await terminal.shows(/1\.2 (?:waits +)?─ running/); // its history

		terminal.press("e");
		await terminal.shows(/Events \d+[\s\S]*1\.1 +ended after .*failure: no such file[\s\S]*1\.2 +command 1 started/);
		terminal.press("!");
		await terminal.shows(/Notable events 1 /);
		terminal.press("!", "/");
		await terminal.shows(/find: /);
		terminal.type("FAILURE: NO SUCH");
		await terminal.showsNo(/find: /);
		terminal.press("Enter");
		await terminal.showsNo(/Events \d/);
		await terminal.shows(/1\.1 (?:fails +)?─ ended: failure/); // the agent of the event that was found

		terminal.press("i");
		await terminal.shows(/task +fails - 1 2 [\s\S]*99 100 and here it ends/); // its events have only the beginning
		await terminal.shows(/limits +max-depth 2,[\s\S]*transcript\.jsonl/);
		terminal.press("Escape");
		await terminal.showsNo(/limits +max-depth/);

		writeFileSync(join(home, "go"), "");
		await terminal.shows(/run ended: answer, 1 of 3 agents failed — q to close/);
		terminal.press("q");
		await terminal.shows(/^both are over$/m);
		const sockets = join(home, "run/agentree");
		for (const file of readdirSync(sockets)) rmSync(join(sockets, file), { recursive: true });
		terminal.type("clear; agent attach");
		await terminal.shows(/run ended: answer, 1 of 3 agents failed/);
		terminal.press("t");
		await terminal.shows(/1 try both .*─.*✓ .*[\s\S]*1\.1 fails .*✗ .*[\s\S]*1\.2 waits .*█.*✓/);
		terminal.press("e");
		await terminal.shows(/Events \d+[\s\S]*1\.2 +ended after .*answer[\s\S]*run +ended after .*answer, exit code 0/);
		terminal.press("q");
		await terminal.showsNo(/Events \d/);
		terminal.press("q");
		await terminal.shows(/^run \w+: 3 agents, 1 failed/m);
		await terminal.isRestored();
	});
});
