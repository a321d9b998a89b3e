/** The supervisor process behind a dashboard: told what to do on stdin, it says on stdout where it is, or why it is not. */

import { readFileSync } from "node:fs";
import { supervisorAround } from "../../agent/start/supervisor-of-mark.ts";
import { AgentreeError } from "../../core/errors.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { print } from "../../terminal/print.ts";
import { parseSuperviseOrder } from "../../wire/supervise-order.ts";
import type { SuperviseReply } from "../../wire/supervise-reply.ts";
import { bugs } from "../io/bugs.ts";
import { hostSupervisor } from "../start/host-supervisor.ts";

const FOR_TREE = "agent supervise is for agent tree";

export const command: Command = () => supervise();

/** Refused inside a run: the new run would have limits of its own. */
async function supervise(): Promise<number> {
	if (supervisorAround(process, openProcessTable(process.env)) !== undefined)
		throw new AgentreeError("usage", `${FOR_TREE}; inside a run, a child agent is: agent run TASK`);
	const say = (reply: SuperviseReply) => print(1, `${JSON.stringify(reply)}\n`);
	bugs.onBug = async ({ line }) => void (await say({ is: "failed", code: "bug", message: line }));
	try {
		const order = parseSuperviseOrder(readFileSync(0, "utf8"));
		if (order === undefined) throw new AgentreeError("usage", `${FOR_TREE}, which tells it on stdin what to do`);
		const { supervisor, ended } = await hostSupervisor(order, {});
		await say({ is: "started", directory: supervisor.directory });
		return (await ended).exitCode;
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		await say({ is: "failed", code: error.code, message: error.message });
		return 1;
	}
}
