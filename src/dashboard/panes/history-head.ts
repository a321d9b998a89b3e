/** What stands above a history: which agent it is of and what that does, and what it has spent and how far it has come. */
import { type Agent, type AgentId, withAncestors } from "../../core/agent.ts";
import type { RunState } from "../../core/run-state.ts";
import { totalsWithin } from "../../core/spending.ts";
import { turnsTaken } from "../../core/talked-with.ts";
import { totalTokens, type Usage } from "../../core/usage.ts";
import { contextShare, formatShare } from "../../models/context-use.ts";
import { formatCost } from "../../text/money.ts";
import { describeState } from "../../text/states.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import { describeTodo } from "../../text/todo.ts";
import { formatUsedTokens } from "../../text/usage.ts";
import { displayWidth, fitWidth } from "../../text/width.ts";
import { type Line, lineWidth, type Segment, segment, type Tone } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import { contextTone } from "./agent-mark.ts";

const PLAN_COLUMNS = 48;

type Fact = readonly [text: string, tone: Tone];

export interface HeadOf {
	readonly agent: Agent;
	/** Its name below those of the agents above it: `linker/piece 7`; empty for the root. */
	readonly name: string;
	readonly now: number;
	readonly width: number;
}

/** `1.3.1 linker/piece 7 ─ running 1m52s ─ plan 3/7: write the test ─ pid 876`: the state however narrow it is, and of the rest what fits. */
export function titleLine({ agent, name, now, width }: HeadOf): Line {
	const isRetrying = agent.state.is === "thinking" && agent.state.retry !== undefined;
	const state: Fact = [
		cleanText(describeState(agent, now)).replace(/\b\d{1,3}ms\b/, "0s"),
		isRetrying ? "warn" : "dim",
	];
	const plan = describeTodo(agent.todo);
	const rest: Fact[] = [
		...(plan === undefined ? [] : [[fitWidth(cleanText(plan), PLAN_COLUMNS), "dim"] as const]),
		[`pid ${agent.pid}`, "dim"],
	];
	const line: Segment[] = [segment(agent.id, "strong")];
	const room = width - lineWidth(line) - displayWidth(state[0]) - 4;
	if (name !== "" && room >= Math.min(8, displayWidth(name))) line.push(segment(` ${fitWidth(name, room)}`));
	return withFacts(line, [state, ...rest], { parted: " ─ ", width, least: 1 });
}

/** `$0.0091 · 3.1k tok · turn 1/50 · ctx 1 %`, and at last the place of the reader, which is there in any case. */
export function factsLine(run: RunState, agent: Agent, { place, width }: { place: Fact; width: number }): Line {
	const facts = factsOf(run, agent);
	const room = width - displayWidth(place[0]) - 3;
	const line = withFacts([], facts, { parted: " · ", width: room, least: 0 });
	return [...line, ...(line.length === 0 ? [] : [segment(" · ", "dim")]), segment(place[0], place[1])];
}

function factsOf(run: RunState, agent: Agent): Fact[] {
	const all = totalsWithin(run, agent.id);
	const own = spent(agent.usage, agent.costUsd);
	const below = all.agents > 1 ? spent(all.usage, all.costUsd) : [];
	const share = contextShare(agent);
	const { maxTurns } = agent.limits;
	return [
		...own,
		...(below.length > 0
			? [[`with below ${below.map(([text]) => text).join(" ")}`, below[0]?.[1] ?? "dim"] as const]
			: []),
		[`turn ${turnsTaken(agent)}${maxTurns === undefined ? "" : `/${maxTurns}`}`, "dim"],
		...(share === undefined || share < 0.01 ? [] : [[`ctx ${formatShare(share)}`, contextTone(share, "dim")] as const]),
		...(agent.compactions === undefined ? [] : [[`compacted ${agent.compactions}×`, "dim"] as const]),
	];
}

function spent(usage: Usage, costUsd: number | null): Fact[] {
	const isUnknown = costUsd === null;
	return [
		...(costUsd === 0 ? [] : [[isUnknown ? "$?" : formatCost(costUsd), isUnknown ? "warn" : "dim"] as const]),
		...(totalTokens(usage) === 0 ? [] : [[`${formatUsedTokens(usage)} tok`, "dim"] as const]),
	];
}

/** Those of the facts that fit; the first `least` in any case. */
function withFacts(
	line: readonly Segment[],
	facts: readonly Fact[],
	{ parted, width, least }: { parted: string; width: number; least: number },
): Segment[] {
	const all = [...line];
	for (const [index, [text, tone]] of facts.entries()) {
		const next = [...(all.length === 0 ? [] : [segment(parted, "dim")]), segment(text, tone)];
		if (index < least || lineWidth([...all, ...next]) <= width) all.push(...next);
	}
	return all;
}

/** The names of the agent and of those above it, without the root's. */
export function pathName(id: AgentId, { run, nameOf }: Pick<Scene, "run" | "nameOf">): string {
	return withAncestors(id)
		.reverse()
		.slice(1)
		.flatMap((one) => run.agents[one] ?? [])
		.map(nameOf)
		.join("/");
}
