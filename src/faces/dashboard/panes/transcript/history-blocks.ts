/**
 * A history as blocks of text, in the order of reading: the task, the items of the transcript, what the agent does now, how it ended. The blocks
 * of what is recorded are made again only when there is more of it.
 */

import { formatBytes } from "../../../../core/bytes.ts";
import { type Agent, type AgentId, isOver } from "../../../../core/model/agent.ts";
import { factsOf } from "../../../../models/catalogue.ts";
import type { Activity } from "../../../../view/agents/activity.ts";
import type { AgentHistory } from "../../scene/agent-history.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { type HistoryItems, itemsOf, streamingItems } from "./history-items.ts";
import { type ItemView, itemBlocks } from "./item-blocks.ts";
import { goingText, standingBlocks } from "./live-blocks.ts";

/** What the blocks tell beside the history itself. */
export interface HistoryScene {
	readonly agent: Agent | undefined;
	/** Children of the agent, in the order of their numbers. */
	readonly children: readonly Agent[];
	readonly now: number;
	readonly activity: Activity;
}

export function historyBlocks(history: AgentHistory, { agent, children, now, activity }: HistoryScene): Block[] {
	const { task, isOver: over, items } = read(history, agent);
	const view: ItemView = {
		...{ now, isOver: over, outputs: history.outputs, links: linksOf(children) },
		isMarkdown: agent === undefined || !factsOf(agent.model).answersBytes,
		going: (command) => agent && goingText(agent, command, { now, activity }),
	};
	const newest = [...items.rest, ...streamingItems(history, items)];
	return [
		...textBlocks("task", task, { tone: "heading", hasGap: true }),
		...(history.unreadBytes === 0 ? [] : [earlierBlock(history.unreadBytes)]),
		...settledBlocks(items.settled, view),
		...newest.flatMap((item) => itemBlocks(item, view)),
		...(agent === undefined ? [] : standingBlocks(agent, history.live !== undefined, { now, activity })),
	];
}

/** The commands that have no result so far, or never will have one. */
export function openCommands(history: AgentHistory, agent: Agent | undefined): readonly number[] {
	return read(history, agent).items.openCommands;
}

function read(history: AgentHistory, agent: Agent | undefined) {
	const task = taskOf(history) ?? agent?.task ?? "";
	const endedAt = agent !== undefined && isOver(agent) ? agent.state.at : undefined;
	return { task, isOver: endedAt !== undefined, items: itemsOf(history, task, endedAt) };
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

const settledCache = new WeakMap<HistoryItems["settled"], { of: unknown[]; blocks: Block[] }>();

function settledBlocks(settled: HistoryItems["settled"], view: ItemView): Block[] {
	const { outputs, links, isMarkdown, isOver: over } = view;
	const of = [outputs, links, isMarkdown, over];
	const cached = settledCache.get(settled);
	if (cached?.of.every((one, at) => one === of[at])) return cached.blocks;
	const blocks = settled.flatMap((item) => itemBlocks(item, view));
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
