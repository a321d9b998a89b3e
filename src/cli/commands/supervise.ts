/** The supervisor process behind a dashboard: it reads its order on stdin, and says on stdout where its run is, or why there is none. */
import { readFileSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";
import { print } from "../../terminal/print.ts";
import { parseSuperviseOrder, type SuperviseReply } from "../../wire/supervise-order.ts";
import { hostSupervisor } from "../host/host-supervisor.ts";
import { supervisorHere } from "../host/this-process.ts";
import { bugs } from "../io/bugs.ts";

const FOR_TREE = "agent supervise is for agent tree";

export const command: Command = () => supervise();

/** Refused inside a run: the new run would have limits of its own. */
async function supervise(): Promise<number> {
	if (supervisorHere() !== undefined)
		throw new AgentreeError("usage", `${FOR_TREE}; to start a child agent inside a run: agent "task"`);
	const say = (reply: SuperviseReply) => print(1, `${JSON.stringify(reply)}\n`);
	bugs.onBug = async ({ line }) => void (await say({ is: "failed", code: "bug", message: line }));
	try {
		const order = parseSuperviseOrder(readFileSync(0, "utf8"));
		if (order === undefined) throw new AgentreeError("usage", `${FOR_TREE}, which gives it its order on stdin`);
		const { supervisor, ended } = await hostSupervisor(order, {});
		await say({ is: "started", directory: supervisor.directory });
		return (await ended).exitCode;
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		await say({ is: "failed", code: error.code, message: error.message });
		return 1;
	}
}
