/** A planned run in the face that was asked for. */

import type { HeldRoot } from "../../supervisor/processes/start-processes.ts";
import { print } from "../../terminal/print.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { headless, progressFor, treeProgress } from "../host/headless.ts";
import { showRun } from "../host/show-run.ts";
import { spawnSupervisor } from "../host/spawn-supervisor.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import type { Face, StartRequest } from "./start-request.ts";

export type HostedFace = Exclude<Face, "stream" | "chat">;

/** Resolves to the exit code. */
export function hostRun(
	order: SuperviseOrder,
	face: HostedFace,
	{ request, isTree, heldRoot }: { request: StartRequest; isTree: boolean; heldRoot?: HeldRoot | undefined },
): Promise<number> {
	const { outputFormat: format = "text" } = request;
	switch (face) {
		case "headless":
			return headless(order, { format, progress: isTree ? treeProgress(request) : progressFor(request), heldRoot });
		case "dashboard":
			return showRun(order);
		case "detached":
			return detach(order);
	}
}

/** A supervisor process of its own, which nobody waits for. Prints the run's id once the supervisor runs. */
async function detach(order: SuperviseOrder): Promise<number> {
	const supervisor = await spawnSupervisor(order);
	supervisor.letGo();
	const { run } = order.settings;
	return exitCodeAfter(await print(1, `${run}\n`), 0, run);
}
