import * as v from "valibot";
import { expect, test } from "vitest";
import { type CommandEnd, commandLog, describeCommandEnd } from "../../../src/core/command.ts";
import { logPath } from "../../../src/core/schemas/values.ts";

const TABLE: [CommandEnd, string][] = [
	[{ by: "exit", code: 3 }, "exit status 3"],
	[{ by: "signal", signal: "SIGKILL" }, "killed by SIGKILL"],
	[{ by: "timeout", afterMs: 120_000 }, "timed out after 120 s"],
	[{ by: "timeout", afterMs: 1_500 }, "timed out after 1.5 s"],
	[{ by: "stopped", reason: "Ctrl-C" }, "stopped: Ctrl-C"],
	[{ by: "not_started", reason: "no such directory" }, "not started: no such directory"],
];

test.each(TABLE)("%j is described as %j", (end, text) => {
	expect(describeCommandEnd(end)).toBe(text);
});

test("the log of a command has a name that messages and files may carry", () => {
	const logs = [commandLog(3), commandLog(12_345)];
	expect(logs).toEqual(["out/0003.log", "out/12345.log"]);
	expect(logs.filter((log) => v.is(logPath, log))).toEqual(logs);
});
