/**
 * `agent run`, `agent tree`, `agent resume`, `agent demo`, and `agent supervise`, the process behind a dashboard. Inside a run, the first
 * three start or resume a child agent.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AgentreeError } from "../../core/errors.ts";
import { scriptModel } from "../../models/providers.ts";
import type { Command } from "../../project/config/command-table.ts";
import { readRunRequest } from "../../project/config/run-request.ts";
import { readSandboxWish } from "../../project/config/sandbox-options.ts";
import { print } from "../../terminal/print.ts";
import { parseSuperviseOrder, type SuperviseReply } from "../../wire/supervise-order.ts";
import { REQUEST_HOST } from "../host/this-process.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { bugs, hasScreen } from "../io/process-io.ts";
import { startNew, startRun } from "../start/start.ts";

export const run: Command = ([task], values) => startRun("run", task, values);
export const tree: Command = ([task], values) => startRun("tree", task, values);
export const resume: Command = async ([ref, message], values) =>
	(await import("../start/resume.ts")).resumeRun(ref, message, values);

/** The scenario's file, two folders above the bundle. */
const SCENARIO = fileURLToPath(new URL("../../docs/demo.yaml", import.meta.url));
const TASK = "Look at this directory: what is in it, how big is it, what changed last? Use several agents in parallel.";

/** The dashboard on a packaged scenario. Processes, commands and results are real; the model is a script. */
export const demo: Command = async (_, values) => {
	if (supervisorHere() !== undefined) throw new AgentreeError("usage", "agent demo is not available inside a run");
	const request = readRunRequest(TASK, { ...values, model: scriptModel(SCENARIO) }, { ...REQUEST_HOST, env: {} });
	const sandbox = readSandboxWish({}, REQUEST_HOST);
	return startNew({ ...request, sandbox }, hasScreen() ? "dashboard" : "headless", true);
};

const FOR_TREE = "agent supervise is for agent tree";

/**
 * Reads its order on stdin, and says on stdout where its run is, or why there is none. Refused inside a run: the new run would have
 * limits of its own.
 */
export const supervise: Command = async () => {
	if (supervisorHere() !== undefined)
		throw new AgentreeError("usage", `${FOR_TREE}; to start a child agent inside a run: agent "task"`);
	const say = (reply: SuperviseReply) => print(1, `${JSON.stringify(reply)}\n`);
	bugs.onBug = async ({ line }) => void (await say({ is: "failed", code: "bug", message: line }));
	try {
		const order = parseSuperviseOrder(readFileSync(0, "utf8"));
		if (order === undefined) throw new AgentreeError("usage", `${FOR_TREE}, which gives it its order on stdin`);
		const { hostSupervisor } = await import("../host/host-supervisor.ts");
		const { supervisor, ended } = await hostSupervisor(order, {});
		await say({ is: "started", directory: supervisor.directory });
		return (await ended).exitCode;
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		await say({ is: "failed", code: error.code, message: error.message });
		return 1;
	}
};
