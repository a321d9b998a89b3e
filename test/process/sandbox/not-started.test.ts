/** A sandbox that could be made when the run began, and cannot be made for a command. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../../src/processes/find-program.ts";
import { agentDirectory } from "../../../src/store/run-directory.ts";
import { startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const SCRIPT = `
agents:
  - task: go
    turns:
      - run: echo ran
      - say: done
`;

/** A run in which a file `broken` keeps commands out of their sandboxes. */
function withBreakable(model: string, task: string) {
	const home = temporaryHome();
	const bwrap = `#!/bin/sh
case " $* " in *" --chdir "*) [ ! -e "${home}/broken" ] || { echo "bwrap: Can't chdir to /x: No such file" >&2; exit 1; } ;; esac
exec ${findProgram("bwrap", process.env.PATH)} "$@"
`;
	writeFileSync(join(home, "bwrap"), bwrap, { mode: 0o755 });
	writeFileSync(join(home, "script.yaml"), SCRIPT);
	writeFileSync(join(home, "broken"), "");
	const env = { AGENTREE_SANDBOX: "", PATH: `${home}:${process.env.PATH}` };
	return startProgram(["run", "--model", model === "shell" ? model : `script:${home}/script.yaml`, task], {
		home,
		env,
	});
}

const WHY = "the sandbox could not be made: bwrap: Can't chdir to /x: No such file";

describe.skipIf(NO_SANDBOX !== undefined)(`a sandbox that cannot be made${SKIPPED}`, () => {
	test("is no command that has run: what bwrap says is no answer", async () => {
		// Seen to fail: the words of bwrap were the answer, with the exit status 0.
		const { code, stdout, stderr } = await withBreakable("shell", "echo ran").ended;
		expect([code, stdout.toString()]).toEqual([1, ""]);
		expect(stderr.toString()).toContain(`the command was not run: ${WHY}\n`);
	});

	test("is told the model, and is in the log", async () => {
		const program = withBreakable("script", "go");
		expect((await program.ended).code).toBe(0);
		const transcript = readFileSync(
			join(agentDirectory(await program.runDirectory(), "1"), "transcript.jsonl"),
			"utf8",
		);
		expect(transcript).toContain(`"content":"[not started: ${WHY}]","is_error":true`);
		expect(program.events()).toContainEqual(
			expect.objectContaining({ event: "command_ended", command: 1, end: { by: "not_started", reason: WHY } }),
		);
	});
});
