/** `agent demo`: the dashboard on a packaged scenario. Processes, commands and results are real; the model is a script. */

import { fileURLToPath } from "node:url";
import { AgentreeError } from "../../core/errors.ts";
import { scriptModel } from "../../models/providers.ts";
import type { Command } from "../../project/config/command-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readRunRequest } from "../../project/config/run-request.ts";
import { readSandboxWish } from "../../project/config/sandbox-options.ts";
import { REQUEST_HOST, supervisorHere } from "../host/this-process.ts";
import { hasScreen } from "../io/has-screen.ts";
import { startNew } from "../start/start.ts";

/** The scenario's file, two folders above the bundle. */
const SCENARIO = fileURLToPath(new URL("../../docs/demo.yaml", import.meta.url));
const TASK = "Look at this directory: what is in it, how big is it, what changed last? Use several agents in parallel.";

export const command: Command = (_, values) => runDemo(values);

async function runDemo(values: OptionValues): Promise<number> {
	if (supervisorHere() !== undefined) throw new AgentreeError("usage", "agent demo is not available inside a run");
	const request = readRunRequest(TASK, { ...values, model: scriptModel(SCENARIO) }, { ...REQUEST_HOST, env: {} });
	const sandbox = readSandboxWish({}, REQUEST_HOST);
	return startNew({ ...request, sandbox }, hasScreen() ? "dashboard" : "headless", true);
}
