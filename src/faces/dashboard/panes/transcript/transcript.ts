/** The transcript of the selected agent: who it is, what it has spent, and what it said and did. */

import { type Agent, type AgentId, isOver, withAncestors } from "../../../../core/model/agent.ts";
import { textOf } from "../../../../core/model/message.ts";
import { totalTokens, type Usage } from "../../../../core/model/usage.ts";
import { turnsTaken } from "../../../../core/run/chat-progress.ts";
import type { RunState } from "../../../../core/run/run-state.ts";
import { totalsWithin } from "../../../../core/run/spending.ts";
import { describeTodo } from "../../../../core/todo.ts";
import { contextShare, formatShare } from "../../../../models/catalogue.ts";
import { formatCost } from "../../../../text/numbers.ts";
import { cleanText } from "../../../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth } from "../../../../text/width/width.ts";
import { type Line, lineWidth, type Segment, type Size, type Style, segment } from "../../../../tui/text/line.ts";
import { shortLine } from "../../../../view/agents/doing-now.ts";
import { formatUsedTokens } from "../../../../view/words/usage.ts";
import { type Action, distanceOf, pagesOf } from "../../scene/keys.ts";
import type { Pane, Step } from "../../scene/pane.ts";
import type { Scene } from "../../scene/scene.ts";
import { END, noticed, type Scroll, TOP, type UiState } from "../../scene/ui-state.ts";
import { contextTone } from "../agent-mark.ts";
import type { Block } from "./block.ts";
import { type BlockWindow, hasMoreBelow, positionsFrom, scrollBy, topOf, windowLines } from "./block-window.ts";
import { foundText } from "./find-text.ts";
import { goBackOrUp, goTo, goToMarked, hasFacts, markLink, windowOf } from "./transcript-window.ts";

const NAME = "transcript";

export const transcriptPane: Pane = {
	name: NAME,
	place: { is: "right" },
	title,
	lines: (scene, size) => {
		const window = windowOf(scene, size);
		const agent = scene.run.agents[scene.transcript.agent];
		const rows = windowLines(window, scene.ui.scroll);
		if (!hasFacts(size)) return rows;
		const place = placeOf(window, scene.ui.scroll);
		const facts = agent && factsLine(scene.run, agent, { place, width: size.columns });
		return [facts ?? [segment(...place)], ...rows];
	},
	act: (action, scene, size) => {
		const window = windowOf(scene, size);
		const ui = uiAfter(action, scene.ui, window) ?? lookingAround(action, scene, window);
		return ui === undefined ? takenOut(action, scene, window) : { ui };
	},
	click: (scene, size, row) => {
		const window = windowOf(scene, size);
		const top = topOf(window, scene.ui.scroll);
		const at = positionsFrom(window, top, window.height)[hasFacts(size) ? row - 1 : row];
		const block = at && window.blocks[at.block];
		return block?.link === undefined ? undefined : { ui: goTo(scene, { ...block, link: block.link }) };
	},
};

function title(scene: Scene, size: Size, room: number): Line {
	const { run, ui, transcript, now } = scene;
	const place = placeOf(windowOf(scene, size), ui.scroll);
	const more = hasFacts(size) || place[1] === "dim" ? [] : [segment(` ${place[0]}`, place[1])];
	const width = room - lineWidth(more);
	const agent = run.agents[transcript.agent];
	if (agent === undefined) return [segment(transcript.agent, "strong"), ...more];
	const head = titleLine({ agent, name: pathName(transcript.agent, scene), now, width });
	return [...head, ...more];
}

function placeOf(window: BlockWindow, scroll: Scroll): [text: string, tone: Style] {
	return hasMoreBelow(window, scroll) ? ["↓ more", "warn"] : ["↓ end", "dim"];
}

function uiAfter(action: Action, ui: UiState, window: BlockWindow): UiState | undefined {
	switch (action) {
		case "first":
			return scrolled(ui, hasMoreBelow(window, TOP) ? TOP : END);
		case "last":
			return { ...ui, scroll: END };
		default: {
			const by = distanceOf(action, pagesOf(window.height));
			return by === undefined ? undefined : scrolled(ui, scrollBy(window, ui.scroll, by));
		}
	}
}

function lookingAround(action: Action, scene: Scene, window: BlockWindow): UiState | undefined {
	switch (action) {
		case "go_in":
			return goToMarked(scene, window);
		case "go_back":
			return goBackOrUp(scene);
		case "next_link":
			return markLink(scene, window, 1);
		case "previous_link":
			return markLink(scene, window, -1);
		case "find_next":
			return foundText(window, scene, 1);
		case "find_previous":
			return foundText(window, scene, -1);
		default:
			return undefined;
	}
}

function takenOut(action: Action, scene: Scene, window: BlockWindow): Step | undefined {
	switch (action) {
		case "read_whole":
			return readWhole(scene, window);
		case "read_transcript":
			return readTranscript(scene, window);
		case "copy_answer":
			return copyAnswer(scene);
		default:
			return undefined;
	}
}

/** A person who reads further up does not want to be led away: following ends. */
function scrolled(ui: UiState, scroll: Scroll): UiState {
	return { ...ui, scroll, follow: scroll.is === "end" ? ui.follow : { is: "off" } };
}

/** What a person takes out of a transcript: the whole output of a command or the transcript for a pager, an answer to copy. */

/** Of the command that is read, the output; where none is in the window, the transcript. */
function readWhole(scene: Scene, window: BlockWindow): Step {
	const command = commandHere(window, scene.ui);
	if (command === undefined) return readTranscript(scene, window);
	const { agent } = scene.transcript;
	return { ui: scene.ui, wish: { is: "read", what: { is: "output", agent, command } } };
}

/** As it is shown, with all of each result that is recorded. */
function readTranscript({ ui, transcript, now }: Scene, window: BlockWindow): Step {
	if (transcript.unreadBytes > 0) {
		const text = "the transcript is not loaded from its beginning yet: press Home, then O again";
		return { ui: noticed(ui, text, { tone: "warn", now }) };
	}
	const text = window.blocks.map((block) => plainBlock(block, window)).join("");
	return { ui, wish: { is: "read", what: { is: "text", text } } };
}

function copyAnswer({ ui, transcript, run, now }: Scene): Step {
	const agent = run.agents[transcript.agent];
	const items = [...transcript.settled, ...transcript.newest];
	const last = items.findLast((item) => item.is === "turn" && item.answer !== undefined);
	const text = last?.is === "turn" ? textOf(last.answer?.content ?? []) : "";
	if (agent !== undefined && isOver(agent) && agent.state.ending.by === "answer" && text !== "")
		return { ui, wish: { is: "copy", agent: agent.id, text } };
	return { ui: noticed(ui, `${transcript.agent} has no answer to copy`, { tone: "warn", now }) };
}

/** The one to which the first row belongs; else the first that begins in the window, and at the end of the transcript the last. */
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

/** What stands above a transcript: which agent it is of and what that does, and what it has spent and how far it has come. */

const PLAN_COLUMNS = 48;

type Fact = readonly [text: string, tone: Style];

interface HeadOf {
	readonly agent: Agent;
	/** Its name below those of the agents above it: `linker/piece 7`; empty for the root. */
	readonly name: string;
	readonly now: number;
	readonly width: number;
}

/** `1.3.1 linker/piece 7 ─ running 1m52s ─ plan 3/7: write the test ─ pid 876`: the state however narrow it is, and of the rest what fits. */
function titleLine({ agent, name, now, width }: HeadOf): Line {
	const isRetrying = agent.state.is === "thinking" && agent.state.retry !== undefined;
	const state: Fact = [cleanText(shortLine(agent, { now })), isRetrying ? "warn" : "dim"];
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
function factsLine(run: RunState, agent: Agent, { place, width }: { place: Fact; width: number }): Line {
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
function pathName(id: AgentId, { run, nameOf }: Pick<Scene, "run" | "nameOf">): string {
	return withAncestors(id)
		.reverse()
		.slice(1)
		.flatMap((one) => run.agents[one] ?? [])
		.map(nameOf)
		.join("/");
}
