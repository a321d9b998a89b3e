/** `agent show`: the transcript of one agent; or a whole run as a file. */

import { ROOT } from "../../core/model/agent.ts";
import { headerLines } from "../../faces/print/agent-header.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import { followJson, showJson } from "../../faces/print/show/show-json.ts";
import { printLines, shownAgent, showTranscript } from "../../faces/print/show/show-transcript.ts";
import type { Command } from "../../project/config/command-table.ts";
import { type OpenRecord, readRecord } from "../act/read-record.ts";
import { exportOptions } from "../export/export-options.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], values) =>
	withProcessIo(async (io) => {
		const asked = exportOptions(values);
		if (asked.length === 0) {
			const { json, follow, verbose } = values;
			return show({ ref, json: json === true, follow: follow === true, verbose: verbose === true }, io);
		}
		const { exportRun } = await import("../export/export-run.ts");
		return exportRun({ ref, asked, mayReplace: values.force === true }, io);
	});

export interface ShowOptions {
	/** A run without an agent: its root. */
	readonly ref?: string | undefined;
	/** Prints one object; with `follow` one message a line, as they come. */
	readonly json: boolean;
	/** Goes on printing until the agent has ended. */
	readonly follow: boolean;
	/** Leaves nothing out: results are whole, and all limits are told. */
	readonly verbose?: boolean;
	/** Undefined: the terminal and NO_COLOR decide. */
	readonly color?: boolean | undefined;
}

export function show(options: ShowOptions, io: Io): Promise<number> {
	return readRecord(options, io, (found) => showFound(found, options, io));
}

async function showFound(
	{ source, told, agent = ROOT }: OpenRecord,
	{ json, follow, verbose = false, color }: ShowOptions,
	io: Io,
): Promise<number> {
	if (json) return follow ? followJson(source, agent, io) : showJson(source, agent, io);
	const run = source.snapshot();
	warn(io, run.damage);
	const paint = paintFor(color, io.isTTY, io.env.NO_COLOR);
	const file = source.agentFile(agent);
	const shown = shownAgent({ source, agent, file, state: run.state }, { paint, isWhole: verbose }, io);
	printLines(io, headerLines(file, run.state, { ...shown.view, directory: told }));
	if (!follow || shown.view.isOver) await showTranscript(shown, io);
	else await (await import("../../faces/print/show/follow-transcript.ts")).followTranscript(shown, io);
	return 0;
}
