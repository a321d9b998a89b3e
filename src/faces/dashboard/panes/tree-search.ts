/** The keys of the tree that look for agents: what a person has typed, and trouble. What hides the agent is unfolded. */
import { type Agent, type AgentId, withAncestors } from "../../../core/model/agent.ts";
import { inTreeOrder } from "../../../view/agents/agent-tree.ts";
import { textMatches } from "../scene/agent-search.ts";
import type { Scene } from "../scene/scene.ts";
import { withFolds } from "../scene/tree-choices.ts";
import { treeRows, visibleRowOf } from "../scene/tree-rows.ts";
import { choose, noticed, type UiState } from "../scene/ui-state.ts";

/** The next agent (1), or the one before (-1), of which something is shown that has the text of the find in it. */
export function foundAgent(scene: Scene, step: 1 | -1): UiState {
	const { ui } = scene;
	if (ui.find === undefined) return noticed(ui, "nothing to find: press / first", { tone: "warn", now: scene.now });
	const { text } = ui.find;
	return nextOf(scene, step, {
		isOne: textMatches(text, scene),
		none: `no agent has "${text}"`,
		describe: () => `has "${text}"`,
	});
}

/** The next agent, or the one before, that somebody should look at. */
export function problemAgent(scene: Scene, step: 1 | -1): UiState {
	return nextOf(scene, step, {
		isOne: (agent) => scene.view.of(agent).problem !== undefined,
		none: "no agent has failed, is silent, or is retrying",
		describe: (agent) => scene.view.of(agent).problem ?? "",
	});
}

interface Wanted {
	readonly isOne: (agent: Agent) => boolean;
	readonly none: string;
	readonly describe: (agent: Agent) => string;
}

/** In the order of the rows, behind the last one the first again. */
function nextOf(scene: Scene, step: 1 | -1, { isOne, none, describe }: Wanted): UiState {
	const { ui, now } = scene;
	const agents = agentsInOrder(scene);
	const found = agents.filter(isOne);
	if (found.length === 0) return noticed(ui, none, { tone: "warn", now });
	const places = new Map(agents.map(({ id }, place) => [id, place]));
	const here = places.get(ui.selected) ?? -1;
	const isPast = ({ id }: Agent) => ((places.get(id) ?? 0) - here) * step > 0;
	const next = step === 1 ? (found.find(isPast) ?? found[0]) : (found.findLast(isPast) ?? found.at(-1));
	if (next === undefined) return ui;
	const which = `${found.indexOf(next) + 1} of ${found.length}`;
	return noticed(uncovered(scene, next.id), `${which}: ${next.id} ${describe(next)}`, { tone: "plain", now });
}

/** A list, and the tree below a filter, have only agents with rows; else those in folded branches count, too. */
function agentsInOrder({ run, rows, ui }: Scene): readonly Agent[] {
	const { order, filter, isAliveOnly } = ui.tree;
	const hasAll = order.is === "tree" && filter === "" && !isAliveOnly;
	return hasAll ? inTreeOrder(run.agents) : rows.filter(({ isContext }) => !isContext).map(({ agent }) => agent);
}

/** Selects the agent, and unfolds what is above it where it has no row. */
function uncovered(scene: Scene, agent: AgentId): UiState {
	return withRow(scene, choose(scene.ui, agent));
}

/** What is above the selected agent is unfolded where the agent has no row. */
export function withRow(scene: Scene, ui: UiState): UiState {
	const agent = ui.selected;
	const rows = treeRows({ ...scene, ui });
	if (rows[visibleRowOf(rows, agent)]?.agent.id === agent) return ui;
	return { ...ui, tree: withFolds(ui.tree, withAncestors(agent).slice(1), false) };
}
