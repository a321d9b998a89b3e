/** A message to an agent, typed into the bar. What was begun and not sent is there again the next time. */
import { isOver } from "../../../core/model/agent.ts";
import { MAX_MESSAGE_CHARS } from "../../../core/model/told-message.ts";
import { fieldLine } from "../../../tui/editor/field-line.ts";
import { fieldWith } from "../../../tui/editor/text-field.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { aboutOf, entryOf, isOpen, opened, withDraft, withEntry } from "../scene/ui-state.ts";
import { agentTitle, askFor, notice, openFor } from "./agent-actions.ts";

const NAME = "message";

export const messagePane: Pane = {
	name: NAME,
	place: { is: "bar" },
	opener: {
		...{ action: "open", names: ["m"], opens: NAME },
		...{ label: "m", help: "send the agent a message" },
	},
	// The line is opened for an agent that is over, too: who types on without looking would press keys else.
	opening: (scene) => {
		const agent = scene.run.agents[scene.ui.selected];
		const isOpened = scene.run.ended === undefined && !scene.isLost && agent !== undefined;
		const { ui } = isOpened ? { ui: opened(scene.ui, NAME) } : openFor(scene, NAME);
		return { ui: isOpen(ui, NAME) ? withEntry(ui, fieldWith(ui.drafts.get(aboutOf(ui)) ?? "")) : ui };
	},
	title: () => [],
	lines: (scene, { columns }) => [fieldLine(promptOf(scene), entryOf(scene.ui), columns)],
	takes: {
		acts: true,
		hasLines: true,
		typed: (text, { ui }) => withDraft(ui, aboutOf(ui), text),
		submit: (text, scene, agent) => send(scene, agent, text),
	},
	act: () => undefined,
};

function promptOf(scene: Scene): string {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	return `to ${agentTitle(scene, id)}${agent !== undefined && isOver(agent) ? ", which has ended" : ""}: `;
}

/** Blanks alone are no message. */
function send(scene: Scene, agent: string, text: string): Step {
	if (text.trim() === "") return { ui: withDraft(scene.ui, agent, "") };
	if (text.length > MAX_MESSAGE_CHARS)
		return notice(
			scene,
			`${text.length} characters, at most ${MAX_MESSAGE_CHARS}: put them in a file and send its path (m restores the text)`,
			"bad",
		);
	const step = askFor(scene, { say: "send", agent, text }, agentTitle(scene, agent));
	return step.wish === undefined ? step : { ...step, ui: withDraft(step.ui, agent, "") };
}
