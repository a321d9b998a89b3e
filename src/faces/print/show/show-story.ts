/** The whole story of an agent, as it stands now. */
import { isOver } from "../../../core/model/agent.ts";
import { forEachEntryInTurn } from "../../../record/read-events.ts";
import { AgentStory, type StoryItem } from "../../../view/agent-story.ts";
import { EMPTY_TIMELINE } from "../../../view/timeline.ts";
import type { RecordedRun } from "../../json/recorded-run.ts";
import { childrenLines } from "../agent-header.ts";
import { type Io, warn } from "../io.ts";
import { endingLines, standingLines, storyLines } from "../story-lines.ts";
import { printLines, type ShownAgent } from "./shown-agent.ts";

export async function showStory(
	shown: ShownAgent,
	{ timeline, agentNotices }: Pick<RecordedRun, "timeline" | "agentNotices">,
	io: Io,
): Promise<void> {
	const { directory, agent, file, state, view } = shown;
	const told = agentNotices.of(agent);
	const story = new AgentStory({
		...{ task: file.task, agentNotices: told },
		timeline: timeline.agents.get(agent) ?? EMPTY_TIMELINE,
	});
	const print = (items: readonly StoryItem[]) =>
		printLines(
			io,
			items.flatMap((item) => storyLines(item, view)),
		);
	const damage = await forEachEntryInTurn(directory, agent, (entry) => {
		print(story.entry(entry));
		return io.drained?.();
	});
	warn(io, damage);
	const rest = story.rest();
	print(rest);
	if (told.more > 0) printLines(io, [view.paint.dim(`${told.more} more events: agent log ${view.ref}`)]);
	printLines(io, lastLines(shown, rest));
	printLines(io, childrenLines(state, agent, { ...view, directory }));
}

/** How it has ended, or how it stands. The error of a turn that was told just before is not told twice. */
function lastLines({ state, agent, view }: ShownAgent, rest: readonly StoryItem[]): string[] {
	const standing = state.agents[agent];
	if (standing === undefined) return [];
	if (!isOver(standing)) return standingLines(standing, view);
	const failed = rest.findLast((item) => item.is === "turn")?.span?.end;
	const known = failed?.by === "failure" ? failed.reason : undefined;
	return endingLines(standing.state.ending, standing.state.at, { view, known });
}
