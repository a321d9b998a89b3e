/** The two lines above a history: what the agent does, and what it has spent alone and with all below it. */
import { type Agent, parentOf } from "../../core/agent.ts";
import type { RunState, Totals } from "../../core/run-state.ts";
import { totalsWithin } from "../../core/spending.ts";
import { totalTokens } from "../../core/usage.ts";
import { contextShare, formatShare } from "../../models/context-use.ts";
import { formatTokens } from "../../text/numbers.ts";
import { describeState } from "../../text/states.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import { describeCost, describeUsage, describeUsageFully, formatUsedTokens } from "../../text/usage.ts";
import { type Line, lineWidth, segment, type Tone } from "../scene/line.ts";
import { contextTone } from "./agent-mark.ts";

export interface HistoryHead {
	readonly run: RunState;
	readonly agent: Agent;
	readonly isActive: boolean;
	readonly now: number;
	readonly width: number;
	/** What the agent has spent stands in a line of its own, not in the title. */
	readonly hasSpentLine: boolean;
}

/** The state of the agent, however narrow the pane is, and as many other facts as fit whole. */
export function headLine({ run, agent, isActive, now, width, hasSpentLine }: HistoryHead): Line {
	const line = [segment(agent.id, isActive ? "heading" : "strong")];
	const state = cleanText(describeState(agent, now)).replace(/\b\d{1,3}ms\b/, "0s");
	const isRetrying = agent.state.is === "thinking" && agent.state.retry !== undefined;
	const facts: [text: string, tone: Tone][] = [[state, isRetrying ? "warn" : "dim"]];
	const share = contextShare(agent);
	if (share !== undefined && share >= 0.01) facts.push([`ctx ${formatShare(share)}`, contextTone(share, "dim")]);
	facts.push([`pid ${agent.pid}`, "dim"]);
	if (agent.compactions !== undefined) facts.push([`compacted ${agent.compactions}×`, "dim"]);
	const tokens = hasSpentLine ? 0 : totalTokens(totalsWithin(run, agent.id).usage);
	if (tokens > 0) facts.push([`${formatTokens(tokens)} tokens`, "dim"]);
	for (const [index, [text, tone]] of facts.entries()) {
		const next = [segment(" · ", "dim"), segment(text, tone)];
		if (index > 0 && lineWidth([...line, ...next]) > width) continue;
		line.push(...next);
	}
	return line;
}

/** The longest form that fits; undefined when nothing was spent. */
export function spentLine(run: RunState, agent: Agent, width: number): Line | undefined {
	const all = totalsWithin(run, agent.id);
	if (totalTokens(all.usage) === 0 && all.costUsd === 0) return undefined;
	const hasBelow = Object.values(run.agents).some(({ id }) => parentOf(id) === agent.id);
	const own: Totals = { ...all, usage: agent.usage, costUsd: agent.costUsd };
	const forms = FORMS.map((form) => (hasBelow ? `own ${form(own)} · with below ${form(all)}` : form(own)));
	const text = forms.find((form) => form.length <= width) ?? forms.at(-1) ?? "";
	return [segment(text, all.costUsd === null ? "warn" : "dim")];
}

const FORMS: readonly ((totals: Totals) => string)[] = [
	({ usage, costUsd }) => describeUsageFully(usage, costUsd),
	({ usage, costUsd }) => describeUsage(usage, costUsd),
	({ usage, costUsd }) => [formatUsedTokens(usage), describeCost(costUsd)].filter(Boolean).join(", "),
	({ usage, costUsd }) => describeCost(costUsd)?.replace("cost ", "") ?? formatUsedTokens(usage),
];
