/** A run that goes on by itself: a supervisor process of its own session, and nobody who waits for it. */

import { AgentreeError } from "../../core/errors.ts";
import { refuseAsking } from "../../project/config/asking-options.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { print } from "../../terminal/print.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { prepareRun } from "./prepare-run.ts";
import { runHost } from "./run-host.ts";
import { spawnSupervisor } from "./spawn-supervisor.ts";
import type { StartRequest } from "./start-request.ts";

/** Prints the run's id once its supervisor is there. Throws AgentreeError for whatever keeps the run from starting. */
export async function startDetached(request: StartRequest): Promise<number> {
	const { outputFormat = "text" } = request;
	if (outputFormat !== "text")
		throw new AgentreeError(
			"usage",
			`--detach prints the run's id and nothing else, so --output-format ${outputFormat} has no output; of the run: agent wait RUN --output-format json`,
		);
	const prepared = await prepareRun(request, { rootStdio: "ignore", face: "later" }, runHost());
	const supervisor = await spawnSupervisor(prepared);
	supervisor.letGo();
	const { run } = prepared.settings;
	return exitCodeAfter(await print(1, `${run}\n`), 0, run);
}

/** Refuses `--detach` inside a run, which nothing of it may outlive, and what is said once for a whole run. */
export function refuseOfRun(values: OptionValues): void {
	const { detach, "fallback-model": fallback, "credentials-file": file, "input-format": input } = values;
	if (input !== undefined)
		throw new AgentreeError(
			"usage",
			"--input-format is for a run of its own: a child agent has one task, and no conversation",
		);
	refuseAsking(values);
	if (file !== undefined)
		throw new AgentreeError(
			"usage",
			"--credentials-file is for a run of its own: inside a run the supervisor has the keys",
		);
	if (fallback !== undefined)
		throw new AgentreeError("usage", "--fallback-model is said once, for a whole run, and holds for all agents in it");
	if (detach !== true) return;
	throw new AgentreeError(
		"usage",
		'--detach is for a run of its own; inside a run a child agent goes on beside you with: agent "task" &',
	);
}
