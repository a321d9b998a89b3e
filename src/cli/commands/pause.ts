/** `agent pause`: no agent of a branch gets a next call until it is let go on. */

import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { askRun, findTarget } from "../act/ask-run.ts";
import { withProcessIo } from "../io/process-io.ts";
import { nameOf } from "../stop/end-unanswered.ts";

export const command: Command = ([ref], { json, hard }) =>
	withProcessIo((io) => pause({ ref, isHard: hard === true, json: json === true }, io));

export interface PauseOptions {
	readonly ref: string | undefined;
	/** Freezes commands, too. */
	readonly isHard: boolean;
	readonly json: boolean;
}

async function pause({ ref, isHard, json }: PauseOptions, io: Io): Promise<number> {
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const request = { say: "pause", agent, isHard } as const;
	const { agents, processes } = await askRun(target, { request, answer: "paused" }, io);
	if (json) io.stdout(`${safeJson({ run, agent, agents, frozen_processes: processes }, "\t")}\n`);
	else io.stdout(`paused ${nameOf(target, agents)}${isHard ? `, and froze ${counted(processes)}` : ""}\n`);
	return 0;
}

function counted(processes: number): string {
	return processes === 1 ? "1 process" : `${processes} processes`;
}
