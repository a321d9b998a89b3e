/** The child agents of the root: a live line for each that lives, and one line of what came of it. Pure. */

import { countDoings, doingOf } from "../../../core/doing.ts";
import { type Agent, type AgentId, isOver, ROOT } from "../../../core/model/agent.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { formatDuration, formatElapsed } from "../../../text/durations.ts";
import { formatCost } from "../../../text/money.ts";
import { ageOf } from "../../../text/states.ts";
import { displayWidth, fitWidth, padWidth } from "../../../text/width/width.ts";
import { type Line, type Style, segment } from "../../../tui/text/line.ts";
import { agentNames } from "../../../view/agents/agent-names.ts";
import { doingWord } from "../../../view/words/doing-word.ts";
import { describeNow, headline, whyNot } from "../../../view/words/now.ts";
import { heldWords, type Moment } from "./doing.ts";
import { counted, safeText, shownLine } from "./shown-lines.ts";

const NAME_COLUMNS = 24;
const LEAST_TEXT_COLUMNS = 4;

export class Children {
	private names: ReadonlyMap<AgentId, string> = new Map();
	private named = 0;

	/** At most `room` rows: those that work first, and a row that counts the others. */
	rows(run: RunState, moment: Moment, { columns, room }: { columns: number; room: number }): Line[] {
		const children = livingChildren(run);
		if (children.length === 0 || room < 1) return [];
		const shown = children.length <= room ? children : children.slice(0, room - 1);
		const cells = shown.map((child) => cellsOf(run, child, { ...moment, name: this.nameOf(run, child.id) }));
		const widths = [0, 1, 2].map((n) => Math.max(0, ...cells.map((row) => displayWidth(row[n] ?? ""))));
		const rows = cells.map(([id = "", name = "", state = "", rest = ""], at) => {
			const padded = [id, name, state].map((cell, n) => padWidth(cell, widths[n] ?? 0)).join("  ");
			return shownLine(fitWidth(`  ${padded}  ${rest}`.trimEnd(), columns), styleOf(shown[at]));
		});
		const others = children.length - shown.length;
		return others === 0 ? rows : [...rows, shownLine(`  … ${counted(others, "more agent")}`, "dim")];
	}

	/** `✓ 1.2 parser tests  1m05s, 7 turns, $0.0123: the first line of its answer`. */
	summary(run: RunState, child: Agent, { answer, columns }: { answer: string; columns: number }): Line {
		const { state } = child;
		const { turns, costUsd } = totalsWithin(run, child.id);
		const cost = costUsd === 0 ? [] : [formatCost(costUsd)];
		const facts = `  ${[formatDuration(ageOf(child, 0)), counted(turns, "turn"), ...cost].join(", ")}`;
		const isGood = state.is === "ended" && state.ending.by === "answer";
		const what = isGood || state.is !== "ended" ? headline(answer) : `${state.ending.by}: ${whyNot(state.ending)}`;
		const head = `${isGood ? "✓" : "✗"} ${child.id} ${this.nameOf(run, child.id)}`.trimEnd();
		const room = columns - displayWidth(head) - displayWidth(facts);
		const rest = what === "" || room < LEAST_TEXT_COLUMNS ? "" : fitWidth(`: ${safeText(what)}`, room);
		return [
			segment(fitWidth(head, columns), isGood ? "good" : "bad"),
			segment(room < 0 ? "" : facts, "dim"),
			segment(rest),
		];
	}

	/** Names are made anew only when another one joins, since each frame asks for them. */
	private nameOf({ agents }: RunState, id: AgentId): string {
		const { children } = branchOf(agents, ROOT);
		if (children.size !== this.named) {
			this.names = agentNames([...children].flatMap((child) => agents[child] ?? []));
			this.named = children.size;
		}
		return this.names.get(id) ?? "";
	}
}

/** Its id, its name, its state, and the rest. */
function cellsOf(run: RunState, child: Agent, { name, ...moment }: Moment & { name: string }): string[] {
	const { now } = moment;
	const agents = [...branchOf(run.agents, child.id).children].flatMap((id) => run.agents[id] ?? []);
	const below = agents.length === 0 ? undefined : countDoings(agents);
	const { costUsd } = totalsWithin(run, child.id);
	const since = child.state.is === "ended" ? child.state.at : (child.asking ?? child.state).since;
	const state = `${doingWord(doingOf(child))} ${formatElapsed(now - since)}`;
	const cost = costUsd === 0 ? "" : `${formatCost(costUsd)}  `;
	const does = heldWords(run, child, moment) ?? describeNow(child, { now, below });
	return [child.id, fitWidth(name, NAME_COLUMNS), state, `${cost}${safeText(does)}`];
}

function styleOf(child: Agent | undefined): Style {
	const doing = child === undefined ? undefined : doingOf(child);
	return doing === "asking" || doing === "retrying" || doing === "paused" ? "warn" : "dim";
}

/** Who only waits for a slot comes last. */
function livingChildren({ agents }: RunState): Agent[] {
	const { livingChildren: ids } = branchOf(agents, ROOT);
	const children = [...ids].flatMap((id) => agents[id] ?? []).filter((agent) => !isOver(agent));
	const weight = ({ state }: Agent) => (state.is === "queued" ? 1 : 0);
	return children.sort((a, b) => weight(a) - weight(b) || a.joinedAt - b.joinedAt);
}
