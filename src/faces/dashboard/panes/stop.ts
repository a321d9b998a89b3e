/** What is asked before an agent is stopped: how, and how much. */
import { isOver, ROOT } from "../../../core/model/agent.ts";
import type { ActRequest } from "../../../wire/watcher-messages.ts";
import type { KeyBinding } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { aboutOf, closed } from "../scene/ui-state.ts";
import { askFor, branchAt, openFor } from "./agent-actions.ts";
import { type BarQuestion, questionLine } from "./bar-question.ts";

const NAME = "stop";
const ANSWERS: readonly KeyBinding[] = [
	{ action: "stop_agent", names: ["s"] },
	{ action: "kill_agent", names: ["k"] },
	{ action: "stop_run", names: ["r"] },
	{ action: "cancel", names: ["escape", "q", "x", "ctrl-c"] },
];
const [SIGINT, SIGKILL, SIGTERM] = [2, 9, 15];

export const stopPane: Pane = {
	name: NAME,
	place: { is: "bar" },
	isQuestion: true,
	keys: ANSWERS,
	opener: {
		...{ action: "open", names: ["x"], opens: NAME },
		...{ label: "x", help: "stop or kill the agent and all below it", hint: "stop" },
	},
	opening: (scene) => openFor(scene, NAME),
	title: () => [],
	lines: (scene, { columns }) => [questionLine(questionOf(scene), columns)],
	act: (action, scene) => {
		const left = { ...scene, ui: closed(scene.ui) };
		const about = aboutOf(scene.ui);
		if (action === "stop_agent") return stop(left, about, false);
		if (action === "kill_agent") return stop(left, about, true);
		if (action === "stop_run") return stop(left, ROOT, false);
		return { ui: left.ui };
	},
};

/** `about` is the agent that was selected when it was asked: the selection may have moved on since, and the agent may have ended. */
function stop(scene: Scene, about: string, isKill: boolean): Step {
	const signal = isKill ? SIGKILL : about === ROOT ? SIGINT : SIGTERM;
	const reason = "from the dashboard";
	const message: ActRequest = { say: "stop_agent", agent: about, reason, signal, isHurry: isKill };
	return askFor(scene, message, branchAt(scene, about).about);
}

function questionOf(scene: Scene): BarQuestion {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	const { about, below } = branchAt(scene, id);
	const answers = [
		{ long: "s stop", short: "s stop" },
		{ long: "k kill (no grace period)", short: "k kill" },
		...(id === ROOT ? [] : [{ long: "r the whole run", short: "r run" }]),
		{ long: "esc cancel", short: "esc" },
	];
	if (agent !== undefined && isOver(agent)) return { asks: [`${about} has already ended.`], answers: answers.slice(2) };
	if (id === ROOT) {
		const all = below === 0 ? [] : [`Stop the run with ${below + 1} live agents?`];
		return { asks: [...all, "Stop the run?"], answers };
	}
	if (below === 0) return { asks: [`Stop ${about}?`, `Stop ${id}?`], answers };
	const agents = below === 1 ? "the agent" : `the ${below} agents`;
	return {
		asks: [`Stop ${about} and ${agents} below it?`, `Stop ${id} and ${below} below?`, `${id} +${below}?`],
		answers,
	};
}
