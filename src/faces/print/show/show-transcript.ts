/** The transcript of an agent as it stands now, whole. */
import { type AgentId, isOver } from "../../../core/model/agent.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import type { AgentFile } from "../../../core/schemas/run-files.ts";
import { outputPath } from "../../../record/run-directory.ts";
import type { RecordedRun } from "../../../record/run-source.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { AgentRecord } from "../../../view/follow/agent-record.ts";
import { SettledItems } from "../../../view/transcript/changes.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import { childrenLines } from "../agent-header.ts";
import { type Io, orWarn, warn } from "../io.ts";
import type { Paint } from "../paint.ts";
import { endingLines, itemLines, standingLines, type TranscriptView } from "../transcript-lines.ts";

export async function showTranscript(shown: ShownAgent, io: Io): Promise<void> {
	const { source, agent, file, state, view } = shown;
	const record = new AgentRecord({ directory: source.directory, agent, damaged: (what) => warn(io, [what]) });
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

/** The agent that `agent show` shows, and how. */

export interface ShownAgent {
	readonly source: RecordedRun;
	readonly agent: AgentId;
	readonly file: AgentFile;
	/** The run when `show` began. */
	readonly state: RunState;
	readonly view: TranscriptView;
}

export interface ShownAs {
	readonly paint: Paint;
	readonly isWhole: boolean;
}

/** `view`: the terminal's width and the time are those of the moment in which they are asked for. */
export function shownAgent(
	{ source, agent, file, state }: Omit<ShownAgent, "view">,
	{ paint, isWhole }: ShownAs,
	io: Io,
): ShownAgent {
	const standing = state.agents[agent];
	const view: TranscriptView = {
		...{ paint, isWhole, ref: `${oneLine(state.run)}/${agent}` },
		isOver: standing === undefined || isOver(standing),
		get now() {
			return io.now();
		},
		get columns() {
			return io.columns;
		},
		pathOf: (log) => oneLine(outputPath("", agent, log)),
		tailOf: (log) => orWarn(io, () => source.output(agent, log).tail()),
	};
	return { source, agent, file, state, view };
}

export function printLines(io: Io, lines: readonly string[]): void {
	if (lines.length > 0) io.stdout(`${lines.join("\n")}\n`);
}
