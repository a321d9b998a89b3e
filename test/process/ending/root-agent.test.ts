/** A root agent that cannot be started is an ending in words, never an exception or a hang. */
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { startRootAgent } from "../../../src/supervisor/processes/start-processes.ts";

const SETTINGS = {
	nodeProgram: process.execPath,
	agentProgram: "/nowhere/agent.js",
	cwd: tmpdir(),
	env: {},
	socket: "/nowhere/socket",
	run: "20261127-201530-test",
	rootStdio: "ignore" as const,
};

test.each([
	["no node", { nodeProgram: "/nowhere/node" }, "/nowhere/node no longer exists (ENOENT)"],
	["no directory", { cwd: "/nowhere/at/all" }, "the working directory /nowhere/at/all no longer exists (ENOENT)"],
	["a file for a directory", { cwd: "/etc/passwd" }, "the working directory /etc/passwd no longer exists (ENOTDIR)"],
	["what is no program", { nodeProgram: "/etc" }, "/etc cannot be run, or the working directory "],
	["a large environment", { env: { LARGE: "x".repeat(10_000_000) } }, "spawn E2BIG"],
])("with %s the run fails in words", async (_, changes, reason) => {
	const root = startRootAgent({ ...SETTINGS, ...changes });
	root.kill();
	expect([root.pid, await root.exited]).toEqual([
		undefined,
		{
			by: "failure",
			reason: expect.stringContaining(`the root agent could not be started: ${reason}`),
			exitCode: 1,
		},
	]);
});
