/** The state of the dashboard at one moment: what panes show, and what keys act on. */
import { type Agent, type AgentId, isOver } from "../../../core/model/agent.ts";
import { EMPTY_RUN, type RunState } from "../../../core/run/run-state.ts";
import type { RunEvent } from "../../../core/schemas/run-event.ts";
import type { AgentFile } from "../../../core/schemas/run-files.ts";
import { cleanText, firstLine } from "../../../text/safe/terminal-safe.ts";
import type { Size } from "../../../tui/text/line.ts";
import { type Activity, NO_ACTIVITY } from "../../../view/agents/activity.ts";
import type { TreeBranches } from "../../../view/agents/agent-tree.ts";
import { RunView } from "../../../view/agents/run-view.ts";
import type { RunPhases } from "../../../view/timeline/phases.ts";
import { type AgentTranscript, emptyTranscript, lastWords } from "./agent-transcript.ts";
import type { ListedKey } from "./keys.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { matchingAgents, type TreeRow, treeRows } from "./tree-rows.ts";
import { FIRST_UI, select, type UiState } from "./ui-state.ts";

/** The headline of what an agent answered; one that went on since and ended again has another answer. */
export interface Answer {
	readonly endedAt: number;
	readonly line: string;
}

export type Answers = ReadonlyMap<AgentId, Answer>;

export interface Picture {
	readonly run: RunState;
	readonly ui: UiState;
	/** That of the selected agent. */
	readonly transcript: AgentTranscript;
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
	/** What the run and its agents mean. */
	readonly view: RunView;
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
	const view = viewOf(picture);
	const { branches } = view.tree;
	const nameOf = (agent: Agent) => view.of(agent).name;
	const shown = { ...picture, view, nameOf };
	const matching = matchingAgents(shown);
	const rows = treeRows(shown, matching);
	const isRunOver = isLost || isStopAsked || run.ended !== undefined;
	return { ...shown, branches, matching, rows, isRunOver, keys };
}

function viewOf({ run, now, activity, answers, transcript }: Picture): RunView {
	const says = (agent: Agent) =>
		isOver(agent) ? answerOf(agent, answers) : transcript.agent === agent.id ? lastLine(transcript) : undefined;
	return new RunView({ run, now, activity, says });
}

/** Undefined while it is not known. */
export function answerOf(agent: Agent, answers: Answers | undefined): string | undefined {
	const known = answers?.get(agent.id);
	return isOver(agent) && known?.endedAt === agent.state.at ? known.line : undefined;
}

/** The last line so far of the answer that streams. */
function lastLine(transcript: AgentTranscript): string {
	const lines = cleanText(lastWords(transcript)).split("\n");
	return firstLine(lines.findLast((line) => line.trim() !== "") ?? "");
}

/** What the files of one agent tell beside its events. */

/** The name of the pane that shows them. */
export const DETAILS = "details";

export interface Details {
	readonly agent: AgentId;
	/** The directory of its files. */
	readonly directory: string;
	/** agent.json; undefined when it is missing or damaged. */
	readonly file: AgentFile | undefined;
}

/** Before anything is known of the run. */
export function firstPicture(selected: AgentId, now: number): Picture {
	return {
		run: EMPTY_RUN,
		ui: select(FIRST_UI, selected),
		transcript: emptyTranscript(selected),
		events: [],
		activity: NO_ACTIVITY,
		isLost: false,
		size: { columns: 80, rows: 24 },
		now,
	};
}
