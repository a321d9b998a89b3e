/** What the person in front of the screen chose. */

import { type AgentId, ROOT } from "../../../core/model/agent.ts";
import type { Question } from "../../../core/run/questions.ts";
import { EMPTY_FIELD, type TextField } from "../../../tui/editor/text-field.ts";
import { type OpenQuestion, turnedTo } from "../../../tui/questions/open-question.ts";
import type { Style } from "../../../tui/text/line.ts";
import { type EventList, FIRST_EVENT_LIST } from "./event-list.ts";
import { type TimeRange, WHOLE_TIME } from "./time-range.ts";

export interface UiState {
	readonly selected: AgentId;
	readonly tree: TreeChoices;
	/** The name of the side that has the keys: those that name no pane go there. */
	readonly side: string;
	/** The side that has the keys takes the whole body. */
	readonly isZoomed: boolean;
	readonly scroll: Scroll;
	/** The row of the transcript that leads to an agent and was marked: the key of its block. */
	readonly link?: string | undefined;
	/** From where the person went into agents below, the newest last. */
	readonly cameFrom: readonly Stop[];
	/** `since`: when the selection moved to the agent that is selected now. */
	readonly follow: { readonly is: "off" } | { readonly is: "on"; readonly since: number };
	/** The pane that was opened as a box or in the bar. */
	readonly open: { readonly is: "none" } | OpenPane;
	/** Said in the bar until the next key, or until `until`. */
	readonly notice?: Notice;
	/** What the keys n and N look for, in whichever pane has the keys; absent: nothing. */
	readonly find?: Find;
	/** Messages that were begun and not sent, by the agent that they are for. */
	readonly drafts: ReadonlyMap<AgentId, string>;
	readonly timeline: TimeRange;
	readonly eventList: EventList;
	/** The terminal reports the mouse to the dashboard, and selects no text itself. */
	readonly isMouseOn: boolean;
}

export interface Find {
	/** Never empty; a find is not particular about capital letters. */
	readonly text: string;
	/** The match in the transcript that was shown last: the line of the block, and the column in it. */
	readonly match?: { readonly key: string; readonly line: number; readonly column: number };
}

/** A place in the transcript of an agent. */
export interface Stop {
	readonly agent: AgentId;
	readonly scroll: Scroll;
	readonly link?: string | undefined;
}

interface OpenPane {
	readonly is: "pane";
	readonly name: string;
	/** The first visible line. */
	readonly top: number;
	/** The text typed into it. */
	readonly entry: TextField;
	/** The agent that was selected when the pane was opened: what is answered there is meant for it. */
	readonly about: AgentId;
	/** The question of an agent that the person has turned to there. */
	readonly answering?: OpenQuestion;
}

export interface Notice {
	readonly text: string;
	readonly tone: Style;
	/** Milliseconds since the epoch. */
	readonly until: number;
	/** Of something that goes on: it stays until that is done. */
	readonly isProgress?: true;
}

/**
 * The place of a reader. `end`: the transcript is shown from its end, and stays there as it grows. `at`: the row at the top of the
 * pane is the one in which this character of the block stands; the block "" is the first, whichever that is.
 */
export type Scroll = { readonly is: "end" } | { readonly is: "at"; readonly key: string; readonly offset: number };

export const END: Scroll = { is: "end" };
export const TOP: Scroll = { is: "at", key: "", offset: 0 };

const NOTICE_MS = 10_000;
const TROUBLE_MS = 60_000;

/** What the person chose for the tree: what is folded, which agents have rows, in which order, and where they stand. */

/** A list has one row an agent, without the lines of the tree; the first of these is at its top. */
export type ListOrder = "quiet" | "age" | "dollars" | "tokens";

export type Order =
	| { readonly is: "tree" }
	/** `ids` is the order as it was when the person asked for it, so that no row moves by itself. */
	| { readonly is: "list"; readonly by: ListOrder; readonly ids: readonly AgentId[] };

export type Folds = ReadonlyMap<AgentId, boolean>;

export interface TreeChoices {
	/** Whether an agent is folded, for those of which a person has said so. */
	readonly folds: Folds;
	/** What was folded before a filter came into force; absent without one. */
	readonly foldsBefore?: Folds;
	/** Branches in which all has ended fold by themselves. */
	readonly foldsEnded: boolean;
	/** Words that an agent must match to have a row. */
	readonly filter: string;
	readonly isAliveOnly: boolean;
	readonly order: Order;
	/** The agent that stays in this row of the pane, counted from 0, as far as the ends of the tree allow. */
	readonly anchor: { readonly agent: AgentId; readonly row: number };
}

const FIRST_CHOICES: TreeChoices = {
	folds: new Map(),
	foldsEnded: true,
	filter: "",
	isAliveOnly: false,
	order: { is: "tree" },
	anchor: { agent: ROOT, row: 0 },
};

/** The agents are folded, or unfolded, because a person wants it. */
export function withFolds(choices: TreeChoices, agents: Iterable<AgentId>, isFolded: boolean): TreeChoices {
	const folds = new Map(choices.folds);
	for (const agent of agents) folds.set(agent, isFolded);
	return { ...choices, folds };
}

const ORDERS = ["tree", "quiet", "age", "dollars", "tokens"] as const;

/** The order that comes after this one. */
export function nextOrder({ order }: TreeChoices): "tree" | ListOrder {
	const at = ORDERS.indexOf(order.is === "tree" ? "tree" : order.by);
	return ORDERS[(at + 1) % ORDERS.length] ?? "tree";
}

export const FIRST_UI: UiState = {
	selected: ROOT,
	tree: FIRST_CHOICES,
	side: "tree",
	isZoomed: false,
	scroll: END,
	cameFrom: [],
	follow: { is: "off" },
	open: { is: "none" },
	drafts: new Map(),
	timeline: WHOLE_TIME,
	eventList: FIRST_EVENT_LIST,
	isMouseOn: false,
};

/** Another agent is selected: its transcript is shown from its end, and there is no way back. */
export function select(ui: UiState, agent: AgentId): UiState {
	return agent === ui.selected ? ui : at({ ...ui, cameFrom: [] }, { agent, scroll: END });
}

/** A person selects the agent: the selection follows no other any more. */
export function choose(ui: UiState, agent: AgentId): UiState {
	return { ...select(ui, agent), follow: { is: "off" } };
}

/** Another agent is selected, from whose transcript there is a way back. */
export function goInto(ui: UiState, agent: AgentId): UiState {
	const { selected, scroll, link } = ui;
	return at({ ...ui, cameFrom: [...ui.cameFrom, { agent: selected, scroll, link }] }, { agent, scroll: END });
}

/** The place from which the person came; undefined when that is none. */
export function goBack(ui: UiState): UiState | undefined {
	const stop = ui.cameFrom.at(-1);
	return stop && at({ ...ui, cameFrom: ui.cameFrom.slice(0, -1) }, stop);
}

function at(ui: UiState, { agent, scroll, link }: Stop): UiState {
	return { ...ui, selected: agent, scroll, link };
}

export function opened(ui: UiState, name: string, top = 0): UiState {
	return { ...ui, open: { is: "pane", name, top, entry: EMPTY_FIELD, about: ui.selected } };
}

/** The name of the pane in which questions of agents are answered. */
export const ANSWER = "answer";

/** The person turns to the question. */
export function turned(ui: UiState, question: Question): UiState {
	return withAnswering(opened(ui, ANSWER), turnedTo(question));
}

export function withAnswering(ui: UiState, answering: OpenQuestion): UiState {
	return ui.open.is === "none" ? ui : { ...ui, open: { ...ui.open, answering } };
}

export function answeringOf({ open }: UiState): OpenQuestion | undefined {
	return open.is === "none" ? undefined : open.answering;
}

/** The agent that the open pane was opened for. */
export function aboutOf({ open, selected }: UiState): AgentId {
	return open.is === "none" ? selected : open.about;
}

/** The text that is typed into the open pane. */
export function entryOf({ open }: UiState): TextField {
	return open.is === "none" ? EMPTY_FIELD : open.entry;
}

/** The name of the pane into which the text of a find is typed. */
export const FIND = "find";

/** What is marked where it stands: the text that is being typed for a find, else that of the last find; "" for nothing. */
export function soughtText(ui: UiState): string {
	const typed = isOpen(ui, FIND) ? entryOf(ui).text : "";
	return typed === "" ? (ui.find?.text ?? "") : typed;
}

/** The name of the pane into which the filter of the tree is typed. */
export const FILTER = "filter";

/** What agents must match to have a row: the text that is being typed, else the one that was entered; "" for nothing. */
export function filterText(ui: UiState): string {
	return isOpen(ui, FILTER) ? entryOf(ui).text : ui.tree.filter;
}

/** The open pane has another text typed into it. */
export function withEntry(ui: UiState, entry: TextField): UiState {
	return ui.open.is === "none" ? ui : { ...ui, open: { ...ui.open, entry } };
}

export function isOpen({ open }: UiState, name: string): boolean {
	return open.is === "pane" && open.name === name;
}

export function closed(ui: UiState): UiState {
	return { ...ui, open: { is: "none" } };
}

/** Said in the bar: for long enough to be read. */
export function noticed(ui: UiState, text: string, { tone, now }: { tone: Style; now: number }): UiState {
	return { ...ui, notice: { text, tone, until: now + (tone === "bad" ? TROUBLE_MS : NOTICE_MS) } };
}

/** A draft that is empty is none. */
export function withDraft(ui: UiState, agent: AgentId, text: string): UiState {
	if ((ui.drafts.get(agent) ?? "") === text) return ui;
	const drafts = new Map(ui.drafts);
	if (text === "") drafts.delete(agent);
	else drafts.set(agent, text);
	return { ...ui, drafts };
}
