/** The transcript of an agent as it stands now, whole. */
import { isOver } from "../../../core/model/agent.ts";
import { SettledItems } from "../../../view/transcript/collect.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import { childrenLines } from "../agent-header.ts";
import { type Io, warn } from "../io.ts";
import { endingLines, itemLines, standingLines } from "../transcript-lines.ts";
import { AgentRecord } from "./agent-record.ts";
import { printLines, type ShownAgent } from "./shown-agent.ts";

export async function showTranscript(shown: ShownAgent, io: Io): Promise<void> {
	const { source, agent, file, state, view } = shown;
	const record = new AgentRecord(source.directory, agent, (what) => warn(io, [what]));
	const transcript = new Transcript(agent, file.task);
	const settled = new SettledItems();
	const print = (items: readonly TranscriptItem[]) =>
		printLines(
			io,
			items.flatMap((item) => itemLines(item, view)),
		);
	for (const items of record.recorded()) {
		for (const item of items) print(settled.take(transcript.take(item)));
		await io.drained?.();
	}
	const standing = state.agents[agent];
	const end = standing !== undefined && isOver(standing) ? transcript.ended(standing.state.at) : transcript.standing();
	const rest = [...settled.take(end), ...settled.rest()];
	print(rest);
	printLines(io, lastLines(shown, rest));
	printLines(io, childrenLines(state, agent, { ...view, directory: source.directory }));
}

/** How it has ended, or how it stands. The error of a turn that was told just before is not told twice. */
function lastLines({ state, agent, view }: ShownAgent, rest: readonly TranscriptItem[]): string[] {
	const standing = state.agents[agent];
	if (standing === undefined) return [];
	if (!isOver(standing)) return standingLines(standing, view);
	const failed = rest.findLast((item) => item.is === "turn")?.end;
	const known = failed?.by === "failure" ? failed.reason : undefined;
	return endingLines(standing.state.ending, standing.state.at, { view, known });
}
