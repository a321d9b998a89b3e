/** `agent log`: the event log. */
import type { RunEvent } from "../../core/run/run-event.ts";
import { EventLines } from "../../faces/print/event-lines.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import { followRun } from "../../faces/print/show/follow-run.ts";
import type { Command } from "../../project/config/command-table.ts";
import { jsonLines } from "../../record/files/json-lines.ts";
import { asEvent } from "../../record/read-events.ts";
import { eventsPath } from "../../record/run-directory.ts";
import { escapeJson } from "../../text/safe/safe-json.ts";
import { isAbout } from "../../view/events/event-meaning.ts";
import { type RecordedRunFound, readRecord } from "../act/read-record.ts";
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

async function logFound({ directory, agent }: RecordedRunFound, { json, follow }: LogOptions, io: Io): Promise<number> {
	const lines = new EventLines({ paint: paintFor(undefined, io.isTTY, io.env.NO_COLOR), columns: () => io.columns });
	const print = (event: RunEvent, line: string) => {
		const text = json ? escapeJson(line) : lines.line(event);
		if (agent === undefined || isAbout(event, agent)) io.stdout(`${text}\n`);
	};
	if (!follow) {
		printAll(directory, print, io);
		return 0;
	}
	const end = await followRun(directory, { onEvent: print, damaged: (what) => warn(io, [what]), signal: io.signal });
	if (end === "crashed") warn(io, ["the run is over: its supervisor died"]);
	return 0;
}

function printAll(directory: string, print: (event: RunEvent, line: string) => void, io: Io): void {
	for (const line of jsonLines(eventsPath(directory))) {
		const event = line.is === "value" ? asEvent(line.value) : undefined;
		if (line.is === "value" && event !== undefined) print(event, JSON.stringify(line.value));
		else warn(io, [line.is === "damage" ? line.what : `events.jsonl line ${line.line}: not an event, skipped`]);
	}
}
