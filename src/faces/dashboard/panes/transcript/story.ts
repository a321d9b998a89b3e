/**
 * The story of an agent, each of whose items has a key that it keeps, however the history grows at its end, at its beginning,
 * and where events come late. It is told anew only when there is more to tell.
 */
import type { AssistantEntry, TranscriptEntry } from "../../../../core/model/transcript.ts";
import { AgentStory, type StoryItem } from "../../../../view/agent-story.ts";
import type { AgentTimeline, Interval } from "../../../../view/timeline.ts";
import type { AgentHistory } from "../../scene/agent-history.ts";
import { agentNoticesOf, timelineOf } from "../../scene/agent-notices.ts";
import { callKey, happenedKey, noteKey, saidKey, strayKey, toldKey, turnKey } from "../place-keys.ts";

export interface Told {
	readonly key: string;
	readonly item: StoryItem;
}

export interface Story {
	/** What is recorded. */
	readonly settled: readonly Told[];
	/** What is under way, and what happened since the last record. */
	readonly rest: readonly Told[];
	readonly queued: readonly Interval[];
}

const cache = new WeakMap<readonly TranscriptEntry[], { of: unknown[]; story: Story }>();

/** `task`: stands above the story. `endedAt`: when the agent ended, if it has. */
export function storyOf(history: AgentHistory, task: string, endedAt: number | undefined): Story {
	const of = [history.happened, history.firstEntry, history.unreadBytes, task, endedAt];
	const cached = cache.get(history.entries);
	if (cached?.of.every((one, at) => one === of[at])) return cached.story;
	const story = tell(history, task, endedAt);
	cache.set(history.entries, { of, story });
	return story;
}

/** What happened before the first entry that is read is told with the entries before it. */
function tell(
	{ agent, entries, firstEntry, unreadBytes, happened }: AgentHistory,
	task: string,
	endedAt?: number,
): Story {
	const from = unreadBytes === 0 ? 0 : (entries[0]?.at ?? 0);
	const events = from === 0 ? happened : happened.filter(({ at }) => at >= from);
	const timeline = timelineOf(events, agent, endedAt);
	const story = new AgentStory({ task, timeline, agentNotices: agentNoticesOf(events, agent) });
	const keys = new Keys();
	const settled = entries.flatMap((entry, index) => keys.of(story.entry(entry), { entry, number: firstEntry + index }));
	return { settled, rest: keys.of(story.rest(), undefined), queued: timeline.queued };
}

/** How long the turn waited for what it needs to begin. */
export function waitBefore(queued: AgentTimeline["queued"], startedAt: number): number {
	const wait = queued.findLast(({ from, to }) => to === startedAt && from <= startedAt);
	return wait === undefined ? 0 : wait.to - wait.from;
}

interface Recorded {
	readonly entry: TranscriptEntry;
	readonly number: number;
}

class Keys {
	private readonly uses = new Map<string, number>();

	of(items: readonly StoryItem[], recorded: Recorded | undefined): Told[] {
		const contents = recorded?.entry.role === "assistant" ? recorded.entry.content : [];
		let words = 0;
		const number = recorded?.number ?? 0;
		const keyOf = (item: StoryItem): string => {
			switch (item.is) {
				case "said":
					return saidKey(number, contents.indexOf(item.block));
				case "told":
					return toldKey(number, words++);
				case "note":
					return noteKey(number);
				case "happened":
					return this.unique(happenedKey(item.agentNotice.at));
				case "turn":
					return this.unique(turnKey(item.turn, item.span?.from ?? answeredAt(item.answer)));
				case "command":
					return this.unique(item.callId === undefined ? strayKey(item.command) : callKey(item.callId));
			}
		};
		return items.map((item) => ({ item, key: keyOf(item) }));
	}

	/** A service that gives one id to two calls must not make the second one unreachable. */
	private unique(key: string): string {
		const uses = (this.uses.get(key) ?? 0) + 1;
		this.uses.set(key, uses);
		return uses === 1 ? key : `${key}#${uses}`;
	}
}

function answeredAt(answer: AssistantEntry | undefined): number {
	return answer?.at ?? 0;
}
