/** `agent demo`: the live tree on a packaged scenario. Processes, commands and results are real, the thinking is a script. */

import { fileURLToPath } from "node:url";
import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { AgentreeError } from "../../core/errors.ts";
import { scriptModel } from "../../models/providers.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readRunRequest } from "../../project/config/run-request.ts";
import { readSandboxWish } from "../../project/config/sandbox-wish.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import { showTree } from "../start/on-screen.ts";

/** The scenario's file, two folders above the bundle. */
const SCENARIO = fileURLToPath(new URL("../../docs/demo.yaml", import.meta.url));
const TASK =
	"Look at this directory: what is in it, how big is it, what changed last? Have several agents look side by side.";

export const command: Command = (_, values) => runDemo(values);

async function runDemo(values: OptionValues): Promise<number> {
	if (supervisorAround(process, openProcessTable(process.env)) !== undefined)
		throw new AgentreeError("usage", "agent demo starts a run of its own: use it outside of a run");
	const cwd = () => workingDirectory(process.cwd);
	const request = readRunRequest(TASK, { ...values, model: scriptModel(SCENARIO) }, { env: {}, cwd });
	return showTree({ ...request, sandbox: readSandboxWish({}, { env: process.env, cwd }) });
}
