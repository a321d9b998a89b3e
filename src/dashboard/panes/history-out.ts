/** What a person takes out of a history: the whole output of a command or the history itself for a pager, an answer to copy. */
import { isOver } from "../../core/agent.ts";
import { textOf } from "../../core/message.ts";
import type { Line } from "../scene/line.ts";
import type { Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { noticed, type UiState } from "../scene/ui-state.ts";
import type { Block } from "./block.ts";
import { type BlockWindow, positionsFrom, topOf } from "./block-window.ts";

/** Of the command that is read, the output; where none is in the window, the history. */
export function readWhole(scene: Scene, window: BlockWindow): Step {
	const command = commandHere(window, scene.ui);
	if (command === undefined) return readHistory(scene, window);
	const { agent } = scene.history;
	return { ui: scene.ui, wish: { is: "read", what: { is: "output", agent, command } } };
}

/** As it is shown, with all of each result that is recorded. */
export function readHistory({ ui, history, now }: Scene, window: BlockWindow): Step {
	if (history.unreadBytes > 0) {
		const text = "this history is not read from its beginning yet: Home does that, then press O again";
		return { ui: noticed(ui, text, { tone: "warn", now }) };
	}
	const text = window.blocks.map((block) => plainBlock(block, window)).join("");
	return { ui, wish: { is: "read", what: { is: "text", text } } };
}

export function copyAnswer({ ui, history, run, now }: Scene): Step {
	const agent = run.agents[history.agent];
	const last = history.entries.findLast(({ role }) => role === "assistant");
	const text = last?.role === "assistant" ? textOf(last.content) : "";
	if (agent !== undefined && isOver(agent) && agent.state.ending.by === "answer" && text !== "")
		return { ui, wish: { is: "copy", agent: agent.id, text } };
	return { ui: noticed(ui, `${history.agent} has no answer to copy`, { tone: "warn", now }) };
}

/** The one to which the first row belongs; else the first that begins in the window, and at the end of the history the last. */
function commandHere(window: BlockWindow, { scroll }: UiState): number | undefined {
	const blocks = positionsFrom(window, topOf(window, scroll), window.height).map(({ block }) => window.blocks[block]);
	const commands = blocks.map((block) => block?.command);
	if (scroll.is === "end") return commands.findLast((command) => command !== undefined);
	return commands[0] ?? commands.find((command) => command !== undefined);
}

function plainBlock(block: Block, window: BlockWindow): string {
	const { text, mark, bar, link, facts = [], right, hasGap } = block;
	if (link !== undefined) return `${plainLine(window.linkLine?.(link, block) ?? [])}\n`;
	const all = [`${mark}${text.replaceAll("\n", `\n${bar}`)}`, ...facts, ...(right === undefined ? [] : [right])];
	return `${all.join(" · ")}\n${hasGap ? "\n" : ""}`;
}

function plainLine(line: Line): string {
	return line.map(({ text }) => text).join("");
}
