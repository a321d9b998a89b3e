/** Pauses: the key that pauses an agent with all below it and lets them go on, and what is asked before commands are frozen, too. */
import { type AgentId, isOver, parentOf } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import type { KeyBinding } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import { describeBranch } from "../scene/pending-requests.ts";
import type { Scene } from "../scene/scene.ts";
import { aboutOf, closed, opened } from "../scene/ui-state.ts";
import { askFor, branchAt, notice, whyNot } from "./agent-actions.ts";
import { type BarQuestion, questionLine } from "./bar-question.ts";

const NAME = "freeze";
const GLANCE_MS = 700;
const ANSWERS: readonly KeyBinding[] = [
	{ action: "freeze", names: ["y"] },
	{ action: "cancel", names: ["escape", "q", "n", "P", "ctrl-c"] },
];

export const freezePane: Pane = {
	name: NAME,
	place: { is: "bar" },
	isQuestion: true,
	keys: ANSWERS,
	opener: {
		...{ action: "open", names: ["P"], opens: NAME },
		...{ label: "P", help: "pause, and freeze the commands" },
	},
	opening: openQuestion,
	title: () => [],
	lines: (scene, { columns }) => [questionLine(questionOf(scene), columns)],
	act: (action, scene) => {
		const left = { ...scene, ui: closed(scene.ui) };
		const agent = aboutOf(scene.ui);
		if (action !== "freeze") return { ui: left.ui };
		return pausedAbove(left, agent) ?? askFor(left, { say: "pause", agent, isHard: true }, branchAt(left, agent).about);
	},
};

/** What the key p does with the selected agent. */
export function pauseOrGoOn(scene: Scene): Step {
	const agent = scene.ui.selected;
	const { about } = branchAt(scene, agent);
	if (hasJustMoved(scene)) return notice(scene, `the selection has just moved to ${about}; press p again to confirm`);
	const above = pausedAbove(scene, agent);
	if (above !== undefined) return above;
	const isPaused = pauseOf(scene.run.agents[agent]) !== undefined;
	return askFor(scene, isPaused ? { say: "continue", agent } : { say: "pause", agent, isHard: false }, about);
}

/** While the selection follows whoever works, a key may have been meant for the agent before. */
function hasJustMoved({ ui: { follow }, now }: Scene): boolean {
	return follow.is === "on" && now - follow.since < GLANCE_MS;
}

function openQuestion(scene: Scene): Step {
	const { ui, run } = scene;
	const agent = ui.selected;
	const why = whyNot(scene, agent);
	if (why !== undefined) return notice(scene, why);
	const above = pausedAbove(scene, agent);
	if (above !== undefined) return above;
	const isFrozen = pauseOf(run.agents[agent])?.isHard === true;
	return isFrozen
		? notice(scene, `${branchAt(scene, agent).about} is already frozen; p to continue`)
		: { ui: opened(ui, NAME) };
}

/** A pause that lies above an agent is lifted only there. */
function pausedAbove(scene: Scene, id: AgentId): Step | undefined {
	const { agents } = scene.run;
	const pause = pauseOf(agents[parentOf(id) ?? ""]);
	const agent = agents[id];
	if (pause === undefined || agent === undefined || isOver(agent)) return undefined;
	const by = branchAt(scene, pause.by).about;
	return notice(scene, `${id} is paused with ${by}; press p there to continue both`);
}

function questionOf(scene: Scene): BarQuestion {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	const { about, below } = branchAt(scene, id);
	const answers = [
		{ long: "y pause and freeze", short: "y freeze" },
		{ long: "esc cancel", short: "esc" },
	];
	if (agent === undefined || isOver(agent)) return { asks: [`${about} has already ended.`], answers: answers.slice(1) };
	const all = describeBranch({ agent: id, about, below });
	return {
		asks: [`Pause ${all}, and freeze the commands?`, `Freeze ${id}${below === 0 ? "" : ` +${below}`}?`],
		answers,
	};
}
