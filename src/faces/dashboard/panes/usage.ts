/** What the selected agent has spent, alone and with all below it, and what the run has spent. */
import type { Agent, AgentId } from "../../../core/model/agent.ts";
import { agentsInOrder, type RunState, type Totals, totalsOf } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { describeContext } from "../../../models/catalogue.ts";
import { formatCost, formatTokens } from "../../../text/numbers.ts";
import { padWidth } from "../../../text/width/width.ts";
import { segment } from "../../../tui/text/line.ts";
import { budgetTexts } from "../../../view/agents/agent-facts.ts";
import type { Pane } from "../scene/pane.ts";

const LABEL_WIDTH = 11;
const MOST_COLUMN_WIDTH = 14;

export const usagePane: Pane = {
	name: "usage",
	place: { is: "box", mostColumns: 57 },
	opener: {
		...{ action: "open", names: ["u"], opens: "usage" },
		...{ label: "u", help: "tokens, cost and budgets", hint: "usage" },
	},
	title: () => [segment("Usage (esc closes)", "heading")],
	lines: ({ run, ui }, { columns }) =>
		usageLines(run, ui.selected, columns).map((text, row) => [segment(text, row === 0 ? "dim" : "plain")]),
	act: () => undefined, // the keys of the tree still count: a person looks at one agent after the other
};

function usageLines(run: RunState, id: AgentId, width: number): string[] {
	const agent = run.agents[id];
	const columnWidth = Math.min(MOST_COLUMN_WIDTH, Math.floor((width - LABEL_WIDTH) / 3));
	return [...tableLines(run, agent, columnWidth), ...(agent === undefined ? [] : factsBelow(run, agent))];
}

function tableLines(run: RunState, agent: Agent | undefined, width: number): string[] {
	const none = totalsOf([]);
	const all = totalsOf(agentsInOrder(run));
	const columns = agent === undefined ? [none, none, all] : [totalsOf([agent]), totalsWithin(run, agent.id), all];
	const line = (label: string, cells: readonly string[]) =>
		`${padWidth(label, LABEL_WIDTH)}${cells.map((cell) => padWidth(` ${cell}`, width, true)).join("")}`;
	const row = (label: string, cell: (totals: Totals) => string) => line(label, columns.map(cell));
	return [
		width < MOST_COLUMN_WIDTH
			? line("", [agent?.id ?? "", "+ below", "run"])
			: line("", [`agent ${agent?.id ?? ""}`, "with below", "run"]),
		row("cost", ({ costUsd }) => (costUsd === null ? "unknown" : formatCost(costUsd))),
		row("input", ({ usage }) => formatTokens(usage.input)),
		row("cache read", ({ usage }) => formatTokens(usage.cacheRead)),
		row("cache write", ({ usage }) => formatTokens(usage.cacheWrite)),
		row("output", ({ usage }) => formatTokens(usage.output)),
		row("turns", ({ turns }) => String(turns)),
		row("agents", ({ agents }) => String(agents)),
	];
}

/** Budgets that bind the agent. One that is equal to that of the agent above is listed once, as the upper one. */
function factsBelow(run: RunState, agent: Agent): string[] {
	const context = describeContext(agent);
	const lines = [
		...budgetTexts(run, agent.id).map((text) => `budget ${text}`),
		...(context === undefined ? [] : [`context ${context}`]),
	];
	return lines.length === 0 ? [] : ["", ...lines];
}
