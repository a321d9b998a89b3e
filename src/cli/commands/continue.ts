/** `agent continue`: ends a pause. */

import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { askRun, findTarget } from "../act/ask-run.ts";
import { withProcessIo } from "../io/process-io.ts";
import { nameOf } from "../stop/end-unanswered.ts";

export const command: Command = ([ref], { json }) => withProcessIo((io) => goOn(ref, json === true, io));

async function goOn(ref: string | undefined, json: boolean, io: Io): Promise<number> {
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const { agents } = await askRun(target, { request: { say: "continue", agent }, answer: "continued" }, io);
	if (json) io.stdout(`${safeJson({ run, agent, agents }, "\t")}\n`);
	else if (agents === 0) io.stderr(`${nameOf(target)} is not paused\n`);
	else io.stdout(`continued ${nameOf(target, agents)}\n`);
	return 0;
}
