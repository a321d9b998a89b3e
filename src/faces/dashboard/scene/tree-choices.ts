/** What the person chose for the tree: what is folded, which agents have rows, in which order, and where they stand. */
import { type AgentId, ROOT } from "../../../core/model/agent.ts";

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

export const FIRST_CHOICES: TreeChoices = {
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
