/** The panes that act on agents: stop, pause and freeze, message; and the question before the dashboard leaves a living run. */
import { type AgentId, isOver, parentOf, ROOT } from "../../../core/model/agent.ts";
import { MAX_MESSAGE_CHARS } from "../../../core/model/message-marks.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { describeEnding } from "../../../text/describe-ending.ts";
import { displayWidth, fitWidth, fitWords } from "../../../text/width/width.ts";
import { fieldLine } from "../../../tui/editor/draw-editor.ts";
import { fieldWith } from "../../../tui/editor/text-field.ts";
import { type Line, lineWidth, type Style, segment } from "../../../tui/text/line.ts";
import type { ActRequest } from "../../../wire/watcher-messages.ts";
import type { KeyBinding } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import { type Branch, describeBranch } from "../scene/pending-requests.ts";
import type { Scene } from "../scene/scene.ts";
import { aboutOf, closed, entryOf, isOpen, noticed, opened, withDraft, withEntry } from "../scene/ui-state.ts";

const MOST_NAME_COLUMNS = 32;

/** `1.3 linker` */
export function agentTitle({ run, nameOf }: Pick<Scene, "run" | "nameOf">, id: AgentId): string {
	const agent = run.agents[id];
	const name = agent === undefined ? "" : nameOf(agent);
	return name === "" ? id : `${id} ${fitWords(name, MOST_NAME_COLUMNS)}`;
}

/** The agent with all that lives below it. */
export function branchAt(scene: Pick<Scene, "run" | "nameOf">, id: AgentId): Branch {
	const about = id === ROOT ? "the run" : agentTitle(scene, id);
	return { agent: id, about, below: branchOf(scene.run.agents, id).living - 1 };
}

/** Why nothing can be asked of the agent any more, or not yet; undefined when it can. */
export function whyNot(scene: Scene, id: AgentId): string | undefined {
	const { run, isLost } = scene;
	if (run.ended !== undefined) return "the run has ended";
	if (isLost) return "the run's supervisor is gone, and so are its processes";
	const agent = run.agents[id];
	if (agent === undefined) return `agent ${id} has not started yet`;
	return isOver(agent) ? `${agentTitle(scene, id)} has ended: ${describeEnding(agent.state.ending)}` : undefined;
}

/** Opens a pane for the selected agent, or says why that makes no sense. */
function openFor(scene: Scene, name: string): Step {
	const why = whyNot(scene, scene.ui.selected);
	return why === undefined ? { ui: opened(scene.ui, name) } : notice(scene, why);
}

/** Asks the run, or says why that makes no sense any more. */
function askFor(scene: Scene, message: ActRequest, about: string): Step {
	const why = whyNot(scene, message.agent);
	return why === undefined ? { ui: scene.ui, wish: { is: "ask", message, about } } : notice(scene, why);
}

export function notice({ ui, now }: Scene, text: string, tone: Style = "warn"): Step {
	return { ui: noticed(ui, text, { tone, now }) };
}

/** A question in the bar, with the keys that answer it. */

export interface BarQuestion {
	/** The longest that fits beside the answers is asked. */
	readonly asks: readonly string[];
	/** Long and short ones, such as `s stop`. */
	readonly answers: readonly { readonly long: string; readonly short: string }[];
}

const BETWEEN = "  ";

function questionLine({ asks, answers }: BarQuestion, columns: number): Line {
	const forms = [answers.map(({ long }) => long), answers.map(({ short }) => short)];
	const lines = asks.flatMap((asked) => forms.map((form) => lineOf(asked, form, BETWEEN)));
	const fitting = lines.find((line) => lineWidth(line) <= columns);
	return fitting ?? cutLine(asks.at(-1) ?? "", forms.at(-1) ?? [], columns);
}

function lineOf(asked: string, answers: readonly string[], between: string): Line {
	return [segment(` ${asked}${between}`, "alert"), segment(`${answers.join(between)} `, "alert")];
}

/** The answers stay visible. */
function cutLine(asked: string, answers: readonly string[], columns: number): Line {
	const room = columns - displayWidth(answers.join(" ")) - 3;
	return lineOf(fitWidth(asked, Math.max(0, room)), answers, " ");
}

/** What is asked before an agent is stopped: how, and how much. */

const STOP = "stop";
const STOP_KEYS: readonly KeyBinding[] = [
	{ action: "stop_agent", names: ["s"] },
	{ action: "kill_agent", names: ["k"] },
	{ action: "stop_run", names: ["r"] },
	{ action: "cancel", names: ["escape", "q", "x", "ctrl-c"] },
];
const [SIGINT, SIGKILL, SIGTERM] = [2, 9, 15];

export const stopPane: Pane = {
	name: STOP,
	place: { is: "bar" },
	isQuestion: true,
	keys: STOP_KEYS,
	opener: {
		...{ action: "open", names: ["x"], opens: STOP },
		...{ label: "x", help: "stop or kill the agent and all below it", hint: "stop" },
	},
	opening: (scene) => openFor(scene, STOP),
	title: () => [],
	lines: (scene, { columns }) => [questionLine(stopQuestion(scene), columns)],
	act: (action, scene) => {
		const left = { ...scene, ui: closed(scene.ui) };
		const about = aboutOf(scene.ui);
		if (action === "stop_agent") return stop(left, about, false);
		if (action === "kill_agent") return stop(left, about, true);
		if (action === "stop_run") return stop(left, ROOT, false);
		return { ui: left.ui };
	},
};

/** `about` is the agent that was selected when it was asked: the selection may have moved on since, and the agent may have ended. */
function stop(scene: Scene, about: string, isKill: boolean): Step {
	const signal = isKill ? SIGKILL : about === ROOT ? SIGINT : SIGTERM;
	const reason = "from the dashboard";
	const message: ActRequest = { say: "stop_agent", agent: about, reason, signal, isHurry: isKill };
	return askFor(scene, message, branchAt(scene, about).about);
}

function stopQuestion(scene: Scene): BarQuestion {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	const { about, below } = branchAt(scene, id);
	const answers = [
		{ long: "s stop", short: "s stop" },
		{ long: "k kill (no grace period)", short: "k kill" },
		...(id === ROOT ? [] : [{ long: "r the whole run", short: "r run" }]),
		{ long: "esc cancel", short: "esc" },
	];
	if (agent !== undefined && isOver(agent)) return { asks: [`${about} has already ended.`], answers: answers.slice(2) };
	if (id === ROOT) {
		const all = below === 0 ? [] : [`Stop the run with ${below + 1} live agents?`];
		return { asks: [...all, "Stop the run?"], answers };
	}
	if (below === 0) return { asks: [`Stop ${about}?`, `Stop ${id}?`], answers };
	const agents = below === 1 ? "the agent" : `the ${below} agents`;
	return {
		asks: [`Stop ${about} and ${agents} below it?`, `Stop ${id} and ${below} below?`, `${id} +${below}?`],
		answers,
	};
}

/** Pauses: the key that pauses an agent with all below it and lets them go on, and what is asked before commands are frozen, too. */

const FREEZE = "freeze";
const GLANCE_MS = 700;
const FREEZE_KEYS: readonly KeyBinding[] = [
	{ action: "freeze", names: ["y"] },
	{ action: "cancel", names: ["escape", "q", "n", "P", "ctrl-c"] },
];

export const freezePane: Pane = {
	name: FREEZE,
	place: { is: "bar" },
	isQuestion: true,
	keys: FREEZE_KEYS,
	opener: {
		...{ action: "open", names: ["P"], opens: FREEZE },
		...{ label: "P", help: "pause, and freeze the commands" },
	},
	opening: openFreeze,
	title: () => [],
	lines: (scene, { columns }) => [questionLine(freezeQuestion(scene), columns)],
	act: (action, scene) => {
		const left = { ...scene, ui: closed(scene.ui) };
		const agent = aboutOf(scene.ui);
		if (action !== "freeze") return { ui: left.ui };
		return pausedAbove(left, agent) ?? askFor(left, { say: "pause", agent, isHard: true }, branchAt(left, agent).about);
	},
};

/** What the key p does with the selected agent. */
export function pauseOrGoOn(scene: Scene): Step {
	const agent = scene.ui.selected;
	const { about } = branchAt(scene, agent);
	if (hasJustMoved(scene)) return notice(scene, `the selection has just moved to ${about}; press p again to confirm`);
	const above = pausedAbove(scene, agent);
	if (above !== undefined) return above;
	const isPaused = pauseOf(scene.run.agents[agent]) !== undefined;
	return askFor(scene, isPaused ? { say: "continue", agent } : { say: "pause", agent, isHard: false }, about);
}

/** While the selection follows whoever works, a key may have been meant for the agent before. */
function hasJustMoved({ ui: { follow }, now }: Scene): boolean {
	return follow.is === "on" && now - follow.since < GLANCE_MS;
}

function openFreeze(scene: Scene): Step {
	const { ui, run } = scene;
	const agent = ui.selected;
	const why = whyNot(scene, agent);
	if (why !== undefined) return notice(scene, why);
	const above = pausedAbove(scene, agent);
	if (above !== undefined) return above;
	const isFrozen = pauseOf(run.agents[agent])?.isHard === true;
	return isFrozen
		? notice(scene, `${branchAt(scene, agent).about} is already frozen; p to continue`)
		: { ui: opened(ui, FREEZE) };
}

/** A pause that lies above an agent is lifted only there. */
function pausedAbove(scene: Scene, id: AgentId): Step | undefined {
	const { agents } = scene.run;
	const pause = pauseOf(agents[parentOf(id) ?? ""]);
	const agent = agents[id];
	if (pause === undefined || agent === undefined || isOver(agent)) return undefined;
	const by = branchAt(scene, pause.by).about;
	return notice(scene, `${id} is paused with ${by}; press p there to continue both`);
}

function freezeQuestion(scene: Scene): BarQuestion {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	const { about, below } = branchAt(scene, id);
	const answers = [
		{ long: "y pause and freeze", short: "y freeze" },
		{ long: "esc cancel", short: "esc" },
	];
	if (agent === undefined || isOver(agent)) return { asks: [`${about} has already ended.`], answers: answers.slice(1) };
	const all = describeBranch({ agent: id, about, below });
	return {
		asks: [`Pause ${all}, and freeze the commands?`, `Freeze ${id}${below === 0 ? "" : ` +${below}`}?`],
		answers,
	};
}

/** What is asked before the dashboard leaves a run that is alive. */

const QUIT_KEYS: readonly KeyBinding[] = [
	{ action: "stop_run", names: ["s", "ctrl-c"] },
	{ action: "leave_running", names: ["l"] },
	{ action: "cancel", names: ["escape", "q"] },
];

const QUIT_LONG = " The run is still running.  s stop · l leave running · esc cancel ";
const QUIT_SHORT = " s stop · l leave running · esc cancel";

export const quitPane: Pane = {
	name: "quit",
	place: { is: "bar" },
	isQuestion: true,
	keys: QUIT_KEYS,
	title: () => [],
	lines: (_, { columns }) => [[segment(columns >= QUIT_LONG.length ? QUIT_LONG : QUIT_SHORT, "alert")]],
	act: (action, { ui }) =>
		action === "stop_run" || action === "leave_running" ? { ui: closed(ui), wish: { is: action } } : { ui: closed(ui) },
};

/** A message to an agent, typed into the bar. What was begun and not sent is there again the next time. */

const MESSAGE = "message";

export const messagePane: Pane = {
	name: MESSAGE,
	place: { is: "bar" },
	opener: {
		...{ action: "open", names: ["m"], opens: MESSAGE },
		...{ label: "m", help: "send the agent a message" },
	},
	// The line is opened for an agent that is over, too: who types on without looking would press keys else.
	opening: (scene) => {
		const agent = scene.run.agents[scene.ui.selected];
		const isOpened = scene.run.ended === undefined && !scene.isLost && agent !== undefined;
		const { ui } = isOpened ? { ui: opened(scene.ui, MESSAGE) } : openFor(scene, MESSAGE);
		return { ui: isOpen(ui, MESSAGE) ? withEntry(ui, fieldWith(ui.drafts.get(aboutOf(ui)) ?? "")) : ui };
	},
	title: () => [],
	lines: (scene, { columns }) => [fieldLine(promptOf(scene), entryOf(scene.ui), columns)],
	takes: {
		acts: true,
		hasLines: true,
		typed: (text, { ui }) => withDraft(ui, aboutOf(ui), text),
		submit: (text, scene, agent) => send(scene, agent, text),
	},
	act: () => undefined,
};

function promptOf(scene: Scene): string {
	const id = aboutOf(scene.ui);
	const agent = scene.run.agents[id];
	return `to ${agentTitle(scene, id)}${agent !== undefined && isOver(agent) ? ", which has ended" : ""}: `;
}

/** Blanks alone are no message. */
function send(scene: Scene, agent: string, text: string): Step {
	if (text.trim() === "") return { ui: withDraft(scene.ui, agent, "") };
	if (text.length > MAX_MESSAGE_CHARS)
		return notice(
			scene,
			`${text.length} characters, at most ${MAX_MESSAGE_CHARS}: put them in a file and send its path (m restores the text)`,
			"bad",
		);
	const step = askFor(scene, { say: "send", agent, text }, agentTitle(scene, agent));
	return step.wish === undefined ? step : { ...step, ui: withDraft(step.ui, agent, "") };
}
