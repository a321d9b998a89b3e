/** `agent show --json`: one object, message by message, since a transcript may be larger than memory. */

import type { AgentId } from "../../../core/model/agent.ts";
import type { RecordedRun } from "../../../record/run-source.ts";
import { toFile } from "../../../record/spelling.ts";
import { safeJson } from "../../../text/safe/safe-json.ts";
import { type CommandSpan, EMPTY_TIMELINE } from "../../../view/timeline.ts";
import { readWholeRun } from "../../json/whole-run.ts";
import { type Io, warn } from "../io.ts";
import { agentAsJson } from "../run-json.ts";

export async function showJson(source: RecordedRun, agent: AgentId, io: Io): Promise<number> {
	const { state, timeline, damage } = readWholeRun(source, io);
	const known = state.agents[agent];
	const standing = known === undefined ? null : agentAsJson(state, known);
	const put = (text: string) => io.stdout(text);
	put(
		`{\n\t"agent": ${indented(toFile(source.agentFile(agent)), 1)},\n\t"standing": ${indented(standing, 1)},\n\t"messages": [`,
	);
	const recorded = new Set<number>();
	let separator = "";
	warn(io, damage);
	for (const { value, written } of source.writtenEntries(agent, (what) => warn(io, [what]))) {
		if (value.role === "user") for (const { command } of value.commands ?? []) recorded.add(command);
		put(`${separator}\n\t\t${indented(written, 2)}`);
		separator = ",";
		await io.drained?.();
	}
	const { commands } = timeline.agents.get(agent) ?? EMPTY_TIMELINE;
	const open = commands.filter(({ command }) => !recorded.has(command)).map(openCommand);
	const end = separator === "" ? "]" : "\n\t]";
	put(`${end},\n\t"open_commands": ${indented(open, 1)}\n}\n`);
	return 0;
}

/** JSON of a value that stands in an object `level` levels deep. */
function indented(value: unknown, level: number): string {
	return safeJson(value, "\t").replaceAll("\n", `\n${"\t".repeat(level)}`);
}

/** A command whose result is not recorded: its turn is not over, or never will be. */
function openCommand({ command, text, log, from, to, end, outputBytes }: CommandSpan): object {
	const ended = { ended_at: end === undefined ? null : to, end: end ?? null, output_bytes: outputBytes ?? null };
	return { command, text, log, started_at: from, ...ended };
}
