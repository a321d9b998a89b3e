/**
 * A history as blocks of text, in the order of reading: the task, the agent's story, what it does now, how it ended. The blocks
 * of what is recorded are made again only when there is more of it.
 */

import { formatBytes } from "../../../../core/bytes.ts";
import { type Agent, type AgentId, isOver } from "../../../../core/model/agent.ts";
import { factsOf } from "../../../../models/catalogue.ts";
import type { Activity } from "../../scene/activity.ts";
import type { AgentHistory } from "../../scene/agent-history.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { answerBlocks, goingText, standingBlocks } from "./live-blocks.ts";
import { type Story, storyOf } from "./story.ts";
import { type StoryView, storyBlocks } from "./story-blocks.ts";

/** What the blocks tell beside the history itself. */
export interface HistoryScene {
	readonly agent: Agent | undefined;
	/** Children of the agent, in the order of their numbers. */
	readonly children: readonly Agent[];
	readonly now: number;
	readonly activity: Activity;
}

export function historyBlocks(history: AgentHistory, { agent, children, now, activity }: HistoryScene): Block[] {
	const { task, endedAt, story } = told(history, agent);
	const view: StoryView = {
		isMarkdown: agent === undefined || !factsOf(agent.model).answersBytes,
		isOver: endedAt !== undefined,
		queued: story.queued,
		...{ broken: history.broken, outputs: history.outputs },
		links: linksOf(children),
		going: (command) => agent && goingText(agent, command, { now, activity }),
	};
	return [
		...textBlocks("task", task, { tone: "heading", hasGap: true }),
		...(history.unreadBytes === 0 ? [] : [earlierBlock(history.unreadBytes)]),
		...settledBlocks(story, view),
		...storyBlocks(story.rest, view),
		...(history.live === undefined ? [] : answerBlocks(history.live, view.isMarkdown)),
		...(agent === undefined ? [] : standingBlocks(agent, history.live !== undefined, { now, activity })),
	];
}

/** The commands that have no result so far, or never will have one. */
export function openCommands(history: AgentHistory, agent: Agent | undefined): number[] {
	return told(history, agent).story.rest.flatMap(({ item }) =>
		item.is === "command" && item.command !== undefined ? [item.command] : [],
	);
}

function told(history: AgentHistory, agent: Agent | undefined) {
	const task = taskOf(history) ?? agent?.task ?? "";
	const endedAt = agent !== undefined && isOver(agent) ? agent.state.at : undefined;
	return { task, endedAt, story: storyOf(history, task, endedAt) };
}

function earlierBlock(bytes: number): Block {
	return lineBlock("earlier", `… ${formatBytes(bytes)} of older history, not read yet`, "dim", {
		isEarlier: true,
		hasGap: true,
	});
}

/** The first words that the agent was told, if they are read. */
function taskOf({ entries, unreadBytes }: AgentHistory): string | undefined {
	if (unreadBytes > 0) return undefined;
	const first = entries.find(({ role }) => role === "user");
	const text = first?.role === "user" ? first.content.find(({ type }) => type === "text") : undefined;
	return text?.type === "text" ? text.text : undefined;
}

const settledCache = new WeakMap<Story["settled"], { of: unknown[]; blocks: Block[] }>();

function settledBlocks({ settled }: Story, view: StoryView): Block[] {
	const { broken, outputs, links, isMarkdown, isOver: over } = view;
	const of = [broken, outputs, links, isMarkdown, over];
	const cached = settledCache.get(settled);
	if (cached?.of.every((one, at) => one === of[at])) return cached.blocks;
	const blocks = storyBlocks(settled, { ...view, going: () => undefined });
	settledCache.set(settled, { of, blocks });
	return blocks;
}

const linksCache = new Map<string, ReadonlyMap<number, readonly AgentId[]>>();

/** The same map as long as the agents are the same, however they change. */
function linksOf(children: readonly Agent[]): ReadonlyMap<number, readonly AgentId[]> {
	const name = children.map(({ id, command }) => `${id}:${command}`).join();
	let links = linksCache.get(name);
	if (links === undefined) {
		const started = new Map<number, AgentId[]>();
		for (const { id, command } of children)
			if (command !== undefined) started.set(command, [...(started.get(command) ?? []), id]);
		links = started;
		linksCache.clear();
		linksCache.set(name, links);
	}
	return links;
}
