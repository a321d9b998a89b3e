/** The row of a history that leads to an agent: how it stands, as the tree says it. */
import type { Agent, AgentId } from "../../core/agent.ts";
import { doingOf } from "../../core/doing.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { ageOf } from "../../text/states.ts";
import { doingNow } from "../scene/doing-now.ts";
import { type Line, type Segment, segment, selectLine } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import { MARKS } from "./agent-mark.ts";

/** `→ 1.3 linker ✓ 1m08s $0.02  the first line of its answer`. `isMarked`: the enter key leads there. */
export function linkLine(scene: Scene, id: AgentId, isMarked: boolean): Line {
	const agent = scene.run.agents[id];
	const line = [segment("→ ", "calm"), segment(id, "strong"), ...(agent === undefined ? [] : standing(agent, scene))];
	return isMarked ? selectLine(line) : line;
}

function standing(agent: Agent, scene: Scene): Segment[] {
	const { glyph, tone } = MARKS[doingOf(agent)];
	const cost = formatCost(agent.costUsd);
	const age = formatDuration(Math.max(1_000, ageOf(agent, scene.now)));
	const doing = doingNow(agent, scene);
	return [
		segment(` ${scene.nameOf(agent)} `),
		segment(glyph, tone),
		segment(` ${age}${cost === "-" ? "" : ` ${cost}`}  `, "dim"),
		segment(doing.text, doing.tone === "plain" ? "dim" : doing.tone),
	];
}
