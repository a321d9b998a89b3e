/** The supervisor process behind a dashboard: told what to do on stdin, it says on stdout where it is, or why it is not. */
import { readFileSync } from "node:fs";
import { print } from "../agent/print.ts";
import { AgentreeError } from "../core/errors.ts";
import { hostSupervisor } from "./host-supervisor.ts";
import type { PreparedRun } from "./prepare-run.ts";

export type SuperviseReply = { is: "started"; directory: string } | { is: "failed"; code: string; message: string };

export async function supervise(): Promise<number> {
	const say = (reply: SuperviseReply) => print(1, `${JSON.stringify(reply)}\n`);
	try {
		const prepared: PreparedRun = JSON.parse(readFileSync(0, "utf8"));
		const { supervisor, ended } = await hostSupervisor(prepared, {});
		await say({ is: "started", directory: supervisor.directory });
		return (await ended).exitCode;
	} catch (error) {
		const code = error instanceof AgentreeError ? error.code : "bug";
		await say({ is: "failed", code, message: (error as Error).message });
		return 1;
	}
}
