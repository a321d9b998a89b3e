/** `agent show --json`, and with `--follow`. */

import type { AgentId } from "../../../core/model/agent.ts";
import { followLines } from "../../../record/files/follow-lines.ts";
import { parseEntry } from "../../../record/read-events.ts";
import { transcriptPath } from "../../../record/run-directory.ts";
import type { RecordedRun } from "../../../record/run-source.ts";
import { toFile } from "../../../record/spelling.ts";
import { escapeJson, safeJson } from "../../../text/safe/invisible.ts";
import type { CommandItem } from "../../../view/transcript/items.ts";
import { RecordMerge } from "../../../view/transcript/merge.ts";
import { concerns } from "../../../view/transcript/notices.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import { type Io, warn } from "../io.ts";
import { agentAsJson } from "../run-json.ts";

/** One object, message by message, since a transcript may be larger than memory. */
export async function showJson(source: RecordedRun, agent: AgentId, io: Io): Promise<number> {
	const { state, damage } = source.snapshot();
	const known = state.agents[agent];
	const standing = known === undefined ? null : agentAsJson(state, known);
	const put = (text: string) => io.stdout(text);
	put(
		`{\n\t"agent": ${indented(toFile(source.agentFile(agent)), 1)},\n\t"standing": ${indented(standing, 1)},\n\t"messages": [`,
	);
	const record = new RecordMerge();
	source.events((event) => {
		if (concerns(event, agent)) record.addEvents([event]);
	});
	const transcript = new Transcript(agent);
	let separator = "";
	warn(io, damage);
	for (const { value, written } of source.writtenEntries(agent, (what) => warn(io, [what]))) {
		for (const item of record.upTo(value)) transcript.take(item);
		put(`${separator}\n\t\t${indented(written, 2)}`);
		separator = ",";
		await io.drained?.();
	}
	for (const item of record.rest()) transcript.take(item);
	const end = separator === "" ? "]" : "\n\t]";
	put(`${end},\n\t"open_commands": ${indented(transcript.openCommands.flatMap(openCommand), 1)}\n}\n`);
	return 0;
}

/** JSON of a value that stands in an object `level` levels deep. */
function indented(value: unknown, level: number): string {
	return safeJson(value, "\t").replaceAll("\n", `\n${"\t".repeat(level)}`);
}

/** A command whose result is not recorded: its turn is not over, or never will be. */
function openCommand({ command, text, log, startedAt, endedAt, end, outputBytes }: CommandItem): object[] {
	if (command === undefined) return [];
	const ended = { ended_at: end === undefined ? null : endedAt, end: end ?? null, output_bytes: outputBytes ?? null };
	return [{ command, text, log, started_at: startedAt, ...ended }];
}

/** The messages as they are recorded, one a line. Resolves when the event log says that there will be no more. */
export async function followJson(source: RecordedRun, agent: AgentId, io: Io): Promise<number> {
	const over = new AbortController();
	const stop = () => over.abort();
	const { signal } = over;
	const damaged = (what: string) => warn(io, [what]);
	const onLines = (lines: string[]) => {
		for (const line of lines) {
			if (parseEntry(line) === undefined) damaged("transcript.jsonl: skipped a line that is not a message");
			else io.stdout(`${escapeJson(line)}\n`);
		}
	};
	io.signal?.addEventListener("abort", stop);
	await Promise.all([
		followLines(transcriptPath(source.directory, agent), onLines, { signal }).finally(stop),
		source.follow({ agent, onEvent: () => {}, damaged, signal }).finally(stop),
	]);
	return 0;
}
