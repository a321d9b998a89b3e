/** What the panes that act on an agent have in common: whether it can be acted on, and how it is called. */
import { type AgentId, isOver, ROOT } from "../../../core/model/agent.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import { describeEnding } from "../../../text/states.ts";
import { fitWords } from "../../../text/width/fit-words.ts";
import type { Style } from "../../../tui/text/line.ts";
import type { ActRequest } from "../../../wire/watcher-messages.ts";
import type { Step } from "../scene/pane.ts";
import type { Branch } from "../scene/pending-requests.ts";
import type { Scene } from "../scene/scene.ts";
import { noticed, opened } from "../scene/ui-state.ts";

const MOST_NAME_COLUMNS = 32;

/** `1.3 linker` */
export function agentTitle({ run, nameOf }: Pick<Scene, "run" | "nameOf">, id: AgentId): string {
	const agent = run.agents[id];
	const name = agent === undefined ? "" : nameOf(agent);
	return name === "" ? id : `${id} ${fitWords(name, MOST_NAME_COLUMNS)}`;
}

/** The agent with all that lives below it. */
export function branchAt(scene: Pick<Scene, "run" | "nameOf">, id: AgentId): Branch {
	const about = id === ROOT ? "the run" : agentTitle(scene, id);
	return { agent: id, about, below: branchOf(scene.run.agents, id).living - 1 };
}

/** Why nothing can be asked of the agent any more, or not yet; undefined when it can. */
export function whyNot(scene: Scene, id: AgentId): string | undefined {
	const { run, isLost } = scene;
	if (run.ended !== undefined) return "the run has ended";
	if (isLost) return "the run's supervisor is gone, and so are its processes";
	const agent = run.agents[id];
	if (agent === undefined) return `agent ${id} has not started yet`;
	return isOver(agent) ? `${agentTitle(scene, id)} has ended: ${describeEnding(agent.state.ending)}` : undefined;
}

/** Opens a pane for the selected agent, or says why that makes no sense. */
export function openFor(scene: Scene, name: string): Step {
	const why = whyNot(scene, scene.ui.selected);
	return why === undefined ? { ui: opened(scene.ui, name) } : notice(scene, why);
}

/** Asks the run, or says why that makes no sense any more. */
export function askFor(scene: Scene, message: ActRequest, about: string): Step {
	const why = whyNot(scene, message.agent);
	return why === undefined ? { ui: scene.ui, wish: { is: "ask", message, about } } : notice(scene, why);
}

export function notice({ ui, now }: Scene, text: string, tone: Style = "warn"): Step {
	return { ui: noticed(ui, text, { tone, now }) };
}
