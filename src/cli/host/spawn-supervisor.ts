/** Starts a supervisor process that lives on without us: a screen that crashes must not end the run. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { withoutKeys } from "../../agent/bash/environment.ts";
import { AgentreeError } from "../../core/errors.ts";
import { withoutCredentials } from "../../models/providers.ts";
import { parseSuperviseReply, type SuperviseOrder, type SuperviseReply } from "../../wire/supervise-order.ts";
import { AGENT_PROGRAM } from "./this-process.ts";

export interface SpawnedSupervisor {
	directory: string;
	/** Resolves to its exit code; null when a signal ended it. */
	exited: Promise<number | null>;
	/** From now on the supervisor does not keep this process alive. */
	letGo(): void;
}

/** Settings and key go over stdin. Throws the AgentreeError that the supervisor met. */
export async function spawnSupervisor(order: SuperviseOrder): Promise<SpawnedSupervisor> {
	const child = spawn(process.execPath, [AGENT_PROGRAM, "supervise"], {
		cwd: order.settings.cwd,
		env: withoutCredentials(withoutKeys(process.env), order.settings.hosts),
		detached: true,
		stdio: ["pipe", "pipe", "ignore"],
	});
	const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
	child.stdin.on("error", () => {}); // the supervisor says on stdout, or by its exit, what went wrong
	child.stdin.end(JSON.stringify(order));
	const reply = await firstReply(child, exited);
	if (reply.is === "failed") throw new AgentreeError(reply.code, reply.message);
	return {
		directory: reply.directory,
		exited,
		letGo: () => {
			child.unref();
			child.stdout.destroy();
		},
	};
}

async function firstReply(child: ChildProcess, exited: Promise<number | null>): Promise<SuperviseReply> {
	const failed = (message: string): SuperviseReply => ({ is: "failed", code: "bug", message });
	const started = new Promise<SuperviseReply>((resolve) => {
		child.once("error", (error) => resolve(failed(`the supervisor could not be started: ${error.message}`)));
		if (child.stdout !== null)
			createInterface(child.stdout).once("line", (line) =>
				resolve(parseSuperviseReply(line) ?? failed(`unexpected message from the supervisor: ${line}`)),
			);
	});
	return Promise.race([
		started,
		exited.then((code) => failed(`the supervisor exited immediately with status ${code}`)),
	]);
}
