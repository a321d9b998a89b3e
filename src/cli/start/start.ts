/**
 * Starts what a command line asks for: a run, or inside a run a child agent. It reads the request, gathers facts, plans, and hosts the run
 * in the face that was asked for. A run that is resumed does the same in resume.ts, a chat in cli/chat/.
 */

import type { OptionValues } from "../../project/config/option-table.ts";
import { refuseRef } from "../../project/config/run-names.ts";
import { type HeldRoot, holdRootAgent, type RootSettings } from "../../supervisor/processes/start-processes.ts";
import { REQUEST_HOST } from "../host/this-process.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { hasScreen } from "../io/process-io.ts";
import { askedSession, isRunHere, refuseSession } from "../sessions/asked-session.ts";
import { gatherFacts } from "./gather-facts.ts";
import type { HostedFace } from "./host-run.ts";
import { planRun, rootStdioOf } from "./plan-run.ts";
import { faceOf, isStreamInput, readStartRequest, refuseOptionsOfRuns, type StartRequest } from "./start-request.ts";

/** `agent run` and `agent tree`. Resolves to the exit code; throws AgentreeError. */
export async function startRun(
	command: "run" | "tree",
	task: string | undefined,
	values: OptionValues,
): Promise<number> {
	refuseRef(task, isRunHere);
	const supervisor = supervisorHere();
	if (supervisor !== undefined) {
		refuseOptionsOfRuns(values);
		refuseSession(values);
		const { startChild } = await import("./start-child.ts");
		return startChild(supervisor, { task, values }, REQUEST_HOST.cwd);
	}
	const asked = askedSession(values);
	const isStream = isStreamInput(values, task);
	if (asked.is !== "new") {
		const { continueSession } = await import("./resume.ts");
		return continueSession(asked, task, { values, isStream });
	}
	const request = await readStartRequest(task, values, REQUEST_HOST);
	if (isStream) {
		const { streamWith } = await import("./start-stream.ts");
		return streamWith(request, task, undefined);
	}
	return startNew(request, faceOf(command, values, request, hasScreen()), command === "tree");
}

/** `isTree`: the user wants to see the tree of agents, if not on a dashboard then as progress lines. */
export async function startNew(request: StartRequest, face: HostedFace, isTree: boolean): Promise<number> {
	let heldRoot: HeldRoot | undefined;
	const hold = (place: Omit<RootSettings, "rootStdio">) => {
		heldRoot = holdRootAgent({ ...place, rootStdio: rootStdioOf(request, face) });
	};
	const isHostedHere = face === "headless" && request.worktree === undefined; // a root in a worktree starts there
	try {
		const facts = await gatherFacts(request, isHostedHere ? { onPlaced: hold } : {});
		const order = planRun(request, { face }, facts);
		const { hostRun } = await import("./host-run.ts"); // while the root's process starts
		return await hostRun(order, face, { request, isTree, heldRoot });
	} catch (error) {
		heldRoot?.kill();
		await heldRoot?.exited;
		(await heldRoot?.cgroup)?.remove();
		throw error;
	}
}
