/** The agent that `agent show` shows, and how. */

import { type AgentId, isOver } from "../../../core/model/agent.ts";
import type { AgentFile } from "../../../core/model/transcript.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { outputPath } from "../../../record/run-directory.ts";
import type { RecordedRun } from "../../../record/run-source.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { type Io, orWarn } from "../io.ts";
import type { Paint } from "../paint.ts";
import type { TranscriptView } from "../transcript-view.ts";

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
