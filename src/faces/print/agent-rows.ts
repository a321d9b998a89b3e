/** The agents of a run as rows, each parent above its children. Pure. */
import { defined } from "../../core/defined.ts";
import { type Agent, ROOT } from "../../core/model/agent.ts";
import { totalTokens } from "../../core/model/usage.ts";
import type { Totals } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { fitWords } from "../../text/width/fit-words.ts";
import { headline } from "../../view/agents/doing-words.ts";
import { type AgentView, RunView } from "../../view/agents/run-view.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { Column } from "./columns.ts";
import type { ListedRun } from "./listed-run.ts";
import { KINDS, kindCell } from "./run-rows.ts";

export interface AgentRow {
	readonly view: AgentView;
	/** What it does is said by the line of its run. */
	readonly isSaid: boolean;
}

const NARROW_NAME_COLUMNS = 16;
const NARROW = 50;
const WIDE = 100;
const WIDER = 120;
const WIDEST = 150;

/** `isWhole`: agents that are over, too. */
export function agentRows({ state: run, answers }: ListedRun, now: number, isWhole: boolean): AgentRow[] {
	if (run === undefined) return [];
	const says = ({ id }: Agent) => headline(answers?.get(id) ?? "");
	return new RunView({ run, now, says }).agents.flatMap((view) => {
		if (view.isOver && !isWhole) return [];
		return [{ view, isSaid: view.id === ROOT && (view.isOver || view.doing === "waiting") }];
	});
}

export function agentColumns(width: number | undefined): Column<AgentRow>[] {
	const isNarrow = width !== undefined && width < WIDE;
	return [
		{ head: "  AGENT", cell: ({ view }) => ({ text: `${"  ".repeat(view.depth + 1)}${view.id}` }) },
		{
			...{ head: "NAME", from: NARROW, cell: ({ view }) => ({ text: view.name }) },
			...(isNarrow && { most: { columns: NARROW_NAME_COLUMNS, cut: fitWords } }),
		},
		numbers("PID", WIDE, (view) => (view.isOver ? "" : String(view.agent.pid))),
		// How it has ended, in the word that the JSON has, too.
		{ head: "STATE", cell: ({ view }) => ({ text: view.isOver ? view.state : view.word, tone: view.tone }) },
		numbers("FOR", undefined, (view) => inSeconds(view.forMs)),
		numbers("TURNS", WIDER, ({ agent }) => String(agent.turns)),
		numbers("TOKENS", WIDER, tokensOf),
		...KINDS.map(([head, kind]): Column<AgentRow> => {
			return { head, toRight: true, from: WIDEST, cell: ({ view }) => kindCell(view.agent.usage, kind) };
		}),
		numbers("COST", WIDE, ({ agent }) => (agent.costUsd === 0 ? "" : formatCost(agent.costUsd))),
		numbers("+BELOW", WIDER, ({ subtree }) => withBelow(subtree)),
		{
			head: "NOW",
			cell: ({ view, isSaid }) => ({ text: isSaid ? "" : view.detail, tone: view.isOver ? view.tone : undefined }),
		},
	];
}

function numbers(head: string, from: number | undefined, text: (view: AgentView) => string): Column<AgentRow> {
	return { head, toRight: true, ...defined({ from }), cell: ({ view }) => ({ text: text(view) }) };
}

/** Whole seconds: milliseconds tell nobody anything here. */
function inSeconds(ms: number): string {
	return formatDuration(Math.max(0, Math.floor(ms / 1000)) * 1000).replace(/^0ms$/, "0s");
}

function tokensOf({ agent: { usage } }: AgentView): string {
	return totalTokens(usage) === 0 && !usage.uncounted ? "" : formatUsedTokens(usage);
}

/** `18.3k $0.0600`: what an agent and all below it used; blank for an agent with none below it. */
function withBelow({ agents, usage, costUsd }: Totals): string {
	if (agents < 2) return "";
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : `${formatUsedTokens(usage)} ${formatCost(costUsd)}`;
}
