/** The state of the dashboard at one moment: what panes show, and what keys act on. */
import { type Agent, type AgentId, parentOf } from "../../../core/model/agent.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { cleanText, firstLine } from "../../../text/safe/terminal-safe.ts";
import type { Size } from "../../../tui/text/line.ts";
import { agentNames } from "../../../view/agents/agent-names.ts";
import type { Activity } from "./activity.ts";
import type { AgentHistory } from "./agent-history.ts";
import type { Details } from "./details.ts";
import type { Answers } from "./doing-now.ts";
import type { ListedKey } from "./keys.ts";
import type { PendingRequests } from "./pending-requests.ts";
import type { RunPhases } from "./run-phases.ts";
import { type TreeBranches, treeOf } from "./tree-branches.ts";
import { matchingAgents, type TreeRow, treeRows } from "./tree-rows.ts";
import type { UiState } from "./ui-state.ts";

export interface Picture {
	readonly run: RunState;
	readonly ui: UiState;
	/** The history of the selected agent. */
	readonly history: AgentHistory;
	/** The newest events of the run, in order. */
	readonly events: readonly RunEvent[];
	/** What the person has asked the run for; absent: nothing. */
	readonly asks?: PendingRequests;
	readonly activity: Activity;
	/** Of the agents that have rows on the screen and ended with an answer, as far as it was read. */
	readonly answers?: Answers;
	/** Why the event log cannot be read. */
	readonly unreadable?: string;
	/** What each agent did over time; absent while no event has been read. */
	readonly phases?: RunPhases;
	/** Of the agent whose details were read last. */
	readonly details?: Details;
	/** The person has asked for the end of the run. */
	readonly isStopAsked?: boolean;
	/** The supervisor is gone. */
	readonly isLost: boolean;
	/** The supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
	/** Leaving goes back to a conversation. */
	readonly isOverConversation?: boolean;
	/** The size of the whole screen. */
	readonly size: Size;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** A picture, and what several panes read from it. */
export interface Scene extends Picture {
	readonly branches: TreeBranches;
	/** The words in which the task of the agent differs from those of its siblings. */
	readonly nameOf: (agent: Agent) => string;
	/** The agents that match the filter of the tree; undefined without one. */
	readonly matching: ReadonlySet<AgentId> | undefined;
	/** The agents that are not folded away, or a list of them. */
	readonly rows: readonly TreeRow[];
	/** The run has ended, or its supervisor is gone, or it was asked to stop: leaving needs no question. */
	readonly isRunOver: boolean;
	/** Every key, for the help and for the hints. */
	readonly keys: readonly ListedKey[];
}

const scenes = new WeakMap<Picture, Scene>();

/** Made once for a picture. */
export function sceneOf(picture: Picture, keys: readonly ListedKey[]): Scene {
	const known = scenes.get(picture);
	if (known?.keys === keys) return known;
	const scene = newScene(picture, keys);
	scenes.set(picture, scene);
	return scene;
}

function newScene(picture: Picture, keys: readonly ListedKey[]): Scene {
	const { run, isLost, isStopAsked = false } = picture;
	const { branches } = treeOf(run.agents);
	const nameOf = (agent: Agent) => nameAmong(agent, branches.get(parentOf(agent.id) ?? "")?.children ?? [agent]);
	const shown = { ...picture, nameOf };
	const matching = matchingAgents(shown);
	const rows = treeRows(shown, matching);
	const isRunOver = isLost || isStopAsked || run.ended !== undefined;
	return { ...shown, branches, matching, rows, isRunOver, keys };
}

/** A task without words has no name. */
function nameAmong(agent: Agent, siblings: readonly Agent[]): string {
	return siblingNames(siblings).get(agent.id) || firstLine(cleanText(agent.task));
}

/** The names of agents among their siblings, made anew only when another one joins: each frame asks for them. */
function siblingNames(siblings: readonly Agent[]): ReadonlyMap<AgentId, string> {
	const parent = parentOf(siblings[0]?.id ?? "") ?? "";
	const known = named.get(parent);
	if (known?.siblings === siblings) return known.names;
	const names = known !== undefined && isSame(known.siblings, siblings) ? known.names : agentNames(siblings);
	named.set(parent, { siblings, names });
	return names;
}

/** The newest names of the children of each agent: a process shows one run. */
const named = new Map<AgentId, { siblings: readonly Agent[]; names: ReadonlyMap<AgentId, string> }>();

function isSame(known: readonly Agent[], siblings: readonly Agent[]): boolean {
	if (known.length !== siblings.length) return false;
	return siblings.every(({ id, task }, at) => known[at]?.id === id && known[at]?.task === task);
}
