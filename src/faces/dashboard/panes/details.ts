/** The details of the selected agent: its whole task, its process, its limits, what it has used, its files. */

import { commandLog } from "../../../core/bash-call.ts";
import type { Agent } from "../../../core/model/agent.ts";
import { cleanText } from "../../../text/safe/terminal-safe.ts";
import { displayWidth, padWidth } from "../../../text/width/width.ts";
import { wrapText } from "../../../text/width/wrap.ts";
import { fitLine, type Line, type Size, segment } from "../../../tui/text/line.ts";
import {
	type AgentFact,
	limitFacts,
	originFacts,
	placeFacts,
	standingFacts,
	workFacts,
} from "../../../view/agents/agent-facts.ts";
import type { AgentView } from "../../../view/agents/run-view.ts";
import { type Pane, scrolledLines, scrollStep } from "../scene/pane.ts";
import { DETAILS, type Scene } from "../scene/scene.ts";
import { agentTitle } from "./agent-actions.ts";

export const detailsPane: Pane = {
	name: DETAILS,
	place: { is: "box", mostColumns: 110 },
	opener: {
		...{ action: "open", names: ["i"], opens: DETAILS },
		...{ label: "i", help: "details: task, process, limits, files" },
	},
	title,
	lines: (scene, size) => scrolledLines(detailsLines(scene, size.columns), scene.ui, size),
	act: (action, scene, size) => scrollStep(action, detailsLines(scene, size.columns), scene.ui, size),
};

/** The keys stay visible. */
function title(scene: Scene, size: Size): Line {
	const { ui } = scene;
	const more = detailsLines(scene, size.columns).length > size.rows ? "↑↓ for more, " : "";
	const long = [agentTitle(scene, ui.selected), ` (${more}esc closes)`] as const;
	const fits = displayWidth(long.join("")) <= size.columns;
	const [name, keys] = fits ? long : [ui.selected, ` (${more === "" ? "" : "↑↓, "}esc)`];
	return [segment(name, "heading"), segment(keys, "dim")];
}

/** The lines about one agent, each fact behind its name. */

const NAME_COLUMNS = 11;
const NARROW_NAME_COLUMNS = 9;
const NARROW_BELOW_COLUMNS = 50;

function detailsLines(scene: Scene, columns: number): Line[] {
	const { ui, view } = scene;
	const agent = view.agent(ui.selected);
	if (agent === undefined) return [fitLine([segment(`agent ${ui.selected} has not joined yet`)], columns)];
	const nameColumns = columns < NARROW_BELOW_COLUMNS ? NARROW_NAME_COLUMNS : NAME_COLUMNS;
	return factsOf(scene, agent).flatMap((fact) => linesOf(fact, nameColumns, columns));
}

function linesOf({ name, text, tone = "plain" }: AgentFact, nameColumns: number, columns: number): Line[] {
	const wrapped = wrapText(cleanText(text), Math.max(1, columns - nameColumns));
	return wrapped.map((line, at) => [segment(padWidth(at === 0 ? name : "", nameColumns), "dim"), segment(line, tone)]);
}

function factsOf(scene: Scene, view: AgentView): AgentFact[] {
	const known = scene.details?.agent === view.id ? scene.details : undefined;
	const files = { file: known?.file, directory: known?.directory };
	const [state, ...standing] = standingFacts(scene.run, view);
	return [
		...(state === undefined ? [] : [state]),
		...taskFacts(view.agent, known),
		...standing,
		...workFacts(view, scene.now),
		...originFacts(view, files),
		...limitFacts(view.agent, true),
		...placeFacts(scene.run, view.id, files),
		...fileFacts(view.agent, known?.directory),
	];
}

/** Events have only the beginning of a long task. */
function taskFacts(agent: Agent, known: Scene["details"]): AgentFact[] {
	if (known?.file !== undefined) return [{ name: "task", text: known.file.task.trimEnd() }];
	const task: AgentFact = { name: "task", text: agent.task };
	return known === undefined ? [task] : [task, { name: "", text: "(agent.json cannot be read)", tone: "warn" }];
}

function fileFacts({ commands }: Agent, directory: string | undefined): AgentFact[] {
	if (directory === undefined) return [];
	const logs = commands === 0 ? [] : commands === 1 ? [commandLog(1)] : [`${commandLog(1)} … ${commandLog(commands)}`];
	return [{ name: "", text: ["agent.json", "transcript.jsonl", ...logs].join(", ") }];
}
