import { expect, test } from "vitest";
import type { Ending } from "../../../src/core/model/agent.ts";
import { describeEnding } from "../../../src/text/states.ts";

test.each<[Ending, string]>([
	[{ by: "answer" }, "answer"],
	[{ by: "failure", reason: "model said\nno", exitCode: 1 }, "failure: model said no"],
	[{ by: "limit", limit: "max-turns", reason: "turn limit reached" }, "limit: turn limit reached"],
	[{ by: "stopped", reason: "Ctrl-C", signal: 2 }, "stopped: Ctrl-C"],
	[{ by: "killed", signal: "SIGKILL" }, "killed by SIGKILL"],
	[{ by: "killed", signal: "SIG\u001b[2J\nKILL" }, "killed by SIG KILL"],
	[{ by: "crashed", reason: "its supervisor died" }, "crashed: its supervisor died"],
])("the ending %j reads %s", (ending, text) => expect(describeEnding(ending)).toBe(text));
