/** `agent show`: the transcript of one agent; or a whole run as a file. */

import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { headerLines } from "../../faces/print/agent-header.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { followJson, showJson } from "../../faces/print/show/show-json.ts";
import { printLines, shownAgent, showTranscript } from "../../faces/print/show/show-transcript.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import type { ExportFormat, ExportOption } from "../export/export-run.ts";
import { type PrintingCommand, paintOf } from "../io/process-io.ts";
import { type OpenRecord, readRecord } from "../io/read-record.ts";

/** A run without an agent: its root. `--follow`: until the agent has ended. */
export const show: PrintingCommand = async ([ref], values, io) => {
	const asked = exportOptions(values);
	if (asked.length === 0)
		return readRecord({ ref, follow: values.follow === true }, io, (found) => showFound(found, values, io));
	const { exportRun } = await import("../export/export-run.ts");
	return exportRun({ ref, asked, mayReplace: values.force === true }, io);
};

async function showFound(
	{ source, told, agent = ROOT }: OpenRecord,
	{ json, follow, verbose }: OptionValues,
	io: Io,
): Promise<number> {
	if (json) return follow ? followJson(source, agent, io) : showJson(source, agent, io);
	const run = source.snapshot();
	warn(io, run.damage);
	const file = source.agentFile(agent);
	const shown = shownAgent(
		{ source, agent, file, state: run.state },
		{ paint: paintOf(io), isWhole: verbose === true },
		io,
	);
	printLines(io, headerLines(file, run.state, { ...shown.view, directory: told }));
	if (!follow || shown.view.isOver) await showTranscript(shown, io);
	else await (await import("../../faces/print/show/follow-transcript.ts")).followTranscript(shown, io);
	return 0;
}

/** Named like their options. */
const EXPORT_FORMATS: readonly ExportFormat[] = ["html", "perfetto", "atif"];

/** The files that a whole run is written to; none when `show` is to print. Throws AgentreeError("usage") for options that do not go together. */
export function exportOptions(values: OptionValues): ExportOption[] {
	const asked = EXPORT_FORMATS.flatMap((format) => {
		const path = values[format];
		return typeof path === "string" ? [{ format, path }] : [];
	});
	const [first] = asked;
	if (first === undefined && values.force === true)
		throw new AgentreeError("usage", `--force needs one of ${EXPORT_FORMATS.map((name) => `--${name}`).join(", ")}`);
	const other = ["json", "follow", "verbose"].find((flag) => values[flag] === true);
	if (first !== undefined && other !== undefined)
		throw new AgentreeError(
			"usage",
			`--${first.format} and --${other} contradict each other: an export is a whole run as it is now`,
		);
	for (const { format, path } of asked)
		if (path === "") throw new AgentreeError("usage", `--${format} needs a file name, or - for stdout`);
	return asked;
}
