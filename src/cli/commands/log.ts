/** `agent log`: the event log. */
import type { RunEvent } from "../../core/run/run-event.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import { EventLines } from "../../faces/print/progress.ts";
import type { Command } from "../../project/config/command-table.ts";
import { escapeJson } from "../../text/safe/invisible.ts";
import { isAbout } from "../../view/events/event-meaning.ts";
import { type OpenRecord, readRecord } from "../act/read-record.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { json, follow }) =>
	withProcessIo((io) => log({ ref, json: json === true, follow: follow === true }, io));

export interface LogOptions {
	/** A ref with an agent: the events of it and of all below it. */
	readonly ref?: string | undefined;
	/** Prints lines as they are in the file. */
	readonly json: boolean;
	/** Goes on printing until the run is over. */
	readonly follow: boolean;
}

export function log(options: LogOptions, io: Io): Promise<number> {
	return readRecord(options, io, (found) => logFound(found, options, io));
}

async function logFound({ source, agent }: OpenRecord, { json, follow }: LogOptions, io: Io): Promise<number> {
	const lines = new EventLines({ paint: paintFor(undefined, io.isTTY, io.env.NO_COLOR), columns: () => io.columns });
	const print = (event: RunEvent, line: string) => {
		const text = json ? escapeJson(line) : lines.line(event);
		if (agent === undefined || isAbout(event, agent)) io.stdout(`${text}\n`);
	};
	if (!follow) {
		warn(
			io,
			source.events((event, written) => print(event, JSON.stringify(written))),
		);
		return 0;
	}
	const end = await source.follow({ onEvent: print, damaged: (what) => warn(io, [what]), signal: io.signal });
	if (end === "crashed") warn(io, ["the run has ended: its supervisor died"]);
	return 0;
}
