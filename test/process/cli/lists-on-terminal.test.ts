/** What `run`, `ps`, `why` and `log` tell a person at a terminal, of one run, while it lives and afterwards. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

const AIM = "of area linker: split it, fix what is broken, and say in one line what it was";
const SCRIPT = `
agents:
  - path: "1"
    turns:
      - run: 'agent "piece 7 ${AIM}" & agent "piece 9 ${AIM}" & wait'
      - say: "# Result\\n\\nboth are **over**"
  - task: "piece 9 *"
    turns:
      - run: until [ -e fail ]; do sleep 0.05; done
      - error: { status: 400, type: invalid_request_error, message: no such file }
  - task: "piece 7 *"
    turns:
      - run: until [ -e go ]; do sleep 0.05; done
      - say: it was a comma
`;

describe.skipIf(!hasTmux())("at a terminal of 80 columns (needs tmux)", () => {
	test("each agent is a line that fits, with its name, what it does, and what came of it", async () => {
		const home = temporaryHome();
		writeFileSync(join(home, "s.yaml"), SCRIPT);
		mkdirSync(join(home, "terminal"));
		const terminal = openTerminal(join(home, "terminal"));
		terminal.resize(80, 40);
		terminal.type(
			`cd ${home}; export AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; agent() { ${process.execPath} ${AGENT_PROGRAM} "$@"; }; clear`,
		);
		terminal.type("agent run --model script:s.yaml 'fix the linker' & clear");
		await terminal.shows(/^\d\d:\d\d:\d\d {4}1\.[12]: started: piece 7 of area linker: split it, fix .*…$/m);
		await terminal.shows(/started: piece 9 of area linker: split it, fix .*…$/m);
		writeFileSync(join(home, "fail"), ""); // not before both are there, by which each has its name
		await terminal.shows(/^\d\d:\d\d:\d\d {4}1\.[12] piece 9: FAILED after \S+: no such file$/m);
		await terminal.shows(
			/^\d\d:\d\d:\d\d {4}1\.[12] piece 7(?: of area linker)? \$ until \[ -e go \]; do sleep 0\.05; done$/m,
		);

		terminal.type("clear; agent ps");
		await terminal.shows(/^\w{4} +running +3 +\S+ .* fix the linker\n {2}1 failed, 1 running, 1 waiting\n/m);
		const listed = await terminal.shows(/^ {4}1\.[12] +piece 7 +running +\S+ +\$ until \[ -e go \]; do /m);
		expect(listed).not.toMatch(/piece 9/); // it is over

		terminal.type("clear; agent why");
		await terminal.shows(/^1\.[12] piece 9 has failed: no such file/m);

		writeFileSync(join(home, "go"), "");
		await terminal.shows(/\d\d:\d\d:\d\d {4}1\.[12] piece 7: answered after \S+: it was a comma$/m);
		await terminal.shows(/\d\d:\d\d:\d\d {2}run: ended after \S+: 1 failed, 2 answered$/m);

		terminal.type("clear; agent ps -a; agent log | grep piece");
		await terminal.shows(/^\w{4} +answer +3 .* fix the linker\n {2}1 of 3 failed; Result: both are over\n/m);
		terminal.type("clear; agent ps $(ls agentree/runs); agent log");
		const whole = await terminal.shows(
			/^ {2}1 of 3 failed; Result: both are over$[\s\S]*ended after \S+: failure: no such/m,
		);
		expect(whole).toMatch(/^ {4}1\.[12] +piece 9 +failure +\S+ +no such file \(HTTP 400 .*…$/m);
		expect(whole).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}1\.[12] {5}joined by command 1, pid \d+: piece 7 of .*…$/m);
	});
});
