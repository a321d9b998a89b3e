/** The child agents of the root: a live line for each that lives, and one line of what came of it. Pure. */
import { type Agent, ROOT } from "../../../core/model/agent.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { formatDuration, formatElapsed } from "../../../text/durations.ts";
import { counted, formatCost } from "../../../text/numbers.ts";
import { displayWidth, fitWidth, padWidth } from "../../../text/width/width.ts";
import { type Line, type Style, segment } from "../../../tui/text/line.ts";
import { nameOf } from "../../../view/agents/agent-tree.ts";
import { ageOf, endWords, headline } from "../../../view/agents/doing-now.ts";
import type { AgentView, RunView } from "../../../view/agents/run-view.ts";
import { safeText, shownLine } from "./shown-lines.ts";

const NAME_COLUMNS = 24;
const LEAST_TEXT_COLUMNS = 4;

/** At most `room` rows: those that work first, and a row that counts the others. */
export function childRows(view: RunView, { columns, room }: { columns: number; room: number }): Line[] {
	const children = livingChildren(view);
	if (children.length === 0 || room < 1) return [];
	const shown = children.length <= room ? children : children.slice(0, room - 1);
	const cells = shown.map(cellsOf);
	const widths = [0, 1, 2].map((n) => Math.max(0, ...cells.map((row) => displayWidth(row[n] ?? ""))));
	const rows = cells.map(([id = "", name = "", state = "", rest = ""], at) => {
		const padded = [id, name, state].map((cell, n) => padWidth(cell, widths[n] ?? 0)).join("  ");
		return shownLine(fitWidth(`  ${padded}  ${rest}`.trimEnd(), columns), styleOf(shown[at]));
	});
	const others = children.length - shown.length;
	return others === 0 ? rows : [...rows, shownLine(`  … ${counted(others, "more agent")}`, "dim")];
}

/** `✓ 1.2 parser tests  1m05s, 7 turns, $0.0123: the first line of its answer`. */
export function childSummary(
	run: RunState,
	child: Agent,
	{ answer, columns }: { answer: string; columns: number },
): Line {
	const { state } = child;
	const { turns, costUsd } = totalsWithin(run, child.id);
	const cost = costUsd === 0 ? [] : [formatCost(costUsd)];
	const facts = `  ${[formatDuration(ageOf(child, 0)), counted(turns, "turn"), ...cost].join(", ")}`;
	const isGood = state.is === "ended" && state.ending.by === "answer";
	const what = isGood || state.is !== "ended" ? headline(answer) : endWords(state.ending);
	const head = `${isGood ? "✓" : "✗"} ${child.id} ${nameOf(run.agents, child.id)}`.trimEnd();
	const room = columns - displayWidth(head) - displayWidth(facts);
	const rest = what === "" || room < LEAST_TEXT_COLUMNS ? "" : fitWidth(`: ${safeText(what)}`, room);
	return [
		segment(fitWidth(head, columns), isGood ? "good" : "bad"),
		segment(room < 0 ? "" : facts, "dim"),
		segment(rest),
	];
}

function cellsOf(child: AgentView): string[] {
	const { costUsd } = child.subtree;
	const state = `${child.word} ${formatElapsed(child.forMs)}`;
	const cost = costUsd === 0 ? "" : `${formatCost(costUsd)}  `;
	return [child.id, fitWidth(child.name, NAME_COLUMNS), state, `${cost}${safeText(child.detail)}`];
}

function styleOf(child: AgentView | undefined): Style {
	return child?.tone === "warn" ? "warn" : "dim";
}

/** Those that only wait for a slot come last. */
function livingChildren(view: RunView): AgentView[] {
	const { livingChildren: ids } = branchOf(view.sight.run.agents, ROOT);
	const children = [...ids].flatMap((id) => view.agent(id) ?? []).filter((child) => !child.isOver);
	const weight = ({ doing }: AgentView) => (doing === "queued" ? 1 : 0);
	return children.sort((a, b) => weight(a) - weight(b) || a.agent.joinedAt - b.agent.joinedAt);
}
