/** `agent show --follow --json`: the messages of an agent as they are recorded, one a line. */

import type { AgentId } from "../../../core/model/agent.ts";
import { followLines } from "../../../record/files/follow-lines.ts";
import { parseEntry } from "../../../record/read-events.ts";
import { transcriptPath } from "../../../record/run-directory.ts";
import type { RecordedRun } from "../../../record/run-source.ts";
import { escapeJson } from "../../../text/safe/safe-json.ts";
import { type Io, warn } from "../io.ts";

/** Resolves when the event log says that there will be no more. */
export async function followJson(source: RecordedRun, agent: AgentId, io: Io): Promise<number> {
	const over = new AbortController();
	const stop = () => over.abort();
	const { signal } = over;
	const damaged = (what: string) => warn(io, [what]);
	const onLines = (lines: string[]) => {
		for (const line of lines) {
			if (parseEntry(line) === undefined) damaged("transcript.jsonl: a line that is not a message, skipped");
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
