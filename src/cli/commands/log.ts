/** `agent log`: the event log. */

import type { RunEvent } from "../../core/schemas/run-event.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { EventLines } from "../../faces/print/progress.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { escapeJson } from "../../text/safe/invisible.ts";
import { isAbout } from "../../view/events/meanings.ts";
import { type PrintingCommand, paintOf } from "../io/process-io.ts";
import { type OpenRecord, readRecord } from "../io/read-record.ts";

/** A ref with an agent: the events of it and of all below it. `--json`: lines as they are in the file. */
export const log: PrintingCommand = ([ref], values, io) =>
	readRecord({ ref, follow: values.follow === true }, io, (found) => logFound(found, values, io));

async function logFound({ source, agent }: OpenRecord, { json, follow }: OptionValues, io: Io): Promise<number> {
	const lines = new EventLines({ paint: paintOf(io), columns: () => io.columns });
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
