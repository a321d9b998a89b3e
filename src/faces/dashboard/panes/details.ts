/** The details of the selected agent: its whole task, its process, its limits, what it has used, its files. */

import { commandLog } from "../../../core/command.ts";
import { type Agent, depthOf, isOver, parentOf } from "../../../core/model/agent.ts";
import { senderName } from "../../../core/model/told-message.ts";
import type { AgentFile } from "../../../core/model/transcript.ts";
import type { Usage } from "../../../core/model/usage.ts";
import { turnsTaken } from "../../../core/run/chat-progress.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { describeContext } from "../../../models/context-use.ts";
import { formatDuration } from "../../../text/durations.ts";
import { describeSetLimits, describeUsualLimits } from "../../../text/limits.ts";
import { formatTokens } from "../../../text/numbers.ts";
import { cleanText, inOneLine, oneLine } from "../../../text/safe/terminal-safe.ts";
import { todoLines } from "../../../text/todo.ts";
import { displayWidth, padWidth } from "../../../text/width/width.ts";
import { wrapText } from "../../../text/width/wrap.ts";
import { fitLine, type Line, type Size, type Style, segment } from "../../../tui/text/line.ts";
import { ageOf } from "../../../view/agents/doing-now.ts";
import { dateTime } from "../../../view/clock-time.ts";
import { describeRole, describeToldFiles } from "../../../view/words/agent-guidance.ts";
import { describeSandbox } from "../../../view/words/sandbox.ts";
import { describeCost } from "../../../view/words/usage.ts";
import { DETAILS } from "../scene/details.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { agentTitle } from "./agent-actions.ts";
import { scrolledLines, scrollStep } from "./scrolled-box.ts";
import { budgetLines } from "./usage.ts";

export const detailsPane: Pane = {
	name: DETAILS,
	place: { is: "box", mostColumns: 110 },
	opener: {
		...{ action: "open", names: ["i"], opens: DETAILS },
		...{ label: "i", help: "details: whole task, process, limits, files" },
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

/** `name` is "" for what goes on with the fact before it. */
interface Fact {
	readonly name: string;
	readonly text: string;
	readonly tone?: Style;
}

function detailsLines(scene: Scene, columns: number): Line[] {
	const { run, ui } = scene;
	const agent = run.agents[ui.selected];
	if (agent === undefined) return [fitLine([segment(`agent ${ui.selected} has not joined yet`)], columns)];
	const nameColumns = columns < NARROW_BELOW_COLUMNS ? NARROW_NAME_COLUMNS : NAME_COLUMNS;
	return factsOf(scene, agent).flatMap((fact) => linesOf(fact, nameColumns, columns));
}

function linesOf({ name, text, tone = "plain" }: Fact, nameColumns: number, columns: number): Line[] {
	const wrapped = wrapText(cleanText(text), Math.max(1, columns - nameColumns));
	return wrapped.map((line, at) => [segment(padWidth(at === 0 ? name : "", nameColumns), "dim"), segment(line, tone)]);
}

function factsOf(scene: Scene, agent: Agent): Fact[] {
	const known = scene.details?.agent === agent.id ? scene.details : undefined;
	return [
		{ name: "now", text: scene.view.of(agent).line, tone: "strong" },
		...taskFacts(agent, known),
		...planFacts(agent),
		...processFacts(agent, scene.now),
		...commandFacts(agent, scene.now),
		...modelFacts(agent, known?.file),
		...usedFacts(scene, agent),
		...limitFacts(scene, agent),
		...fileFacts(agent, known?.directory),
	];
}

/** Events have only the beginning of a long task. */
function taskFacts(agent: Agent, known: Scene["details"]): Fact[] {
	if (known?.file !== undefined) return [{ name: "task", text: known.file.task.trimEnd() }];
	const task: Fact = { name: "task", text: agent.task };
	return known === undefined ? [task] : [task, { name: "", text: "(agent.json cannot be read)", tone: "warn" }];
}

function planFacts({ todo = [] }: Agent): Fact[] {
	return todoLines(todo).map((text, at) => ({ name: at === 0 ? "plan" : "", text: inOneLine(text) }));
}

function processFacts(agent: Agent, now: number): Fact[] {
	const { pid, joinedAt, command } = agent;
	const parent = parentOf(agent.id);
	const age = formatDuration(ageOf(agent, now));
	const pause = pauseOf(agent);
	const facts: Fact[] = [
		{ name: "process", text: isOver(agent) ? `was pid ${pid}` : `pid ${pid}` },
		{ name: "started", text: `${dateTime(joinedAt)}, ${isOver(agent) ? `lived ${age}` : `${age} ago`}` },
	];
	if (parent !== undefined) {
		const by = command === undefined ? `agent ${parent}` : `command ${command} of agent ${parent}`;
		facts.push({ name: "by", text: by });
	}
	if (pause !== undefined) {
		const whole = pause.by === agent.id ? "" : `, with all below ${pause.by}`;
		facts.push({ name: "paused", text: `${dateTime(pause.since)} by ${senderName(pause.from)}${whole}`, tone: "warn" });
	}
	return facts;
}

function commandFacts({ running }: Agent, now: number): Fact[] {
	return running.map(({ command, pid, since, text }, at) => ({
		name: at === 0 ? "running" : "",
		text: `command ${command}, pid ${pid}, for ${formatDuration(now - since)}: ${oneLine(text)}`,
	}));
}

function modelFacts(agent: Agent, file: AgentFile | undefined): Fact[] {
	const effort = file?.effort === undefined ? "" : `, effort ${file.effort}`;
	const facts: Fact[] = [{ name: "model", text: `${agent.model}${effort}` }];
	if (file === undefined) return facts;
	if (file.systemPrompt !== undefined) facts.push({ name: "", text: "its own system prompt" });
	if (file.appendSystemPrompt !== undefined) facts.push({ name: "", text: "with an addition to the system prompt" });
	const role = describeRole(file);
	if (role !== undefined) facts.push({ name: "role", text: oneLine(role) });
	const told = describeToldFiles(file);
	if (told !== undefined) facts.push({ name: "told by", text: oneLine(told) });
	const sandbox = file.sandbox === undefined ? [] : [{ name: "sandbox", text: describeSandbox(file.sandbox) }];
	return [...facts, { name: "directory", text: file.cwd }, ...sandbox];
}

function turnsOf(agent: Agent): string {
	const { turns, limits, talked } = agent;
	if (talked === undefined) return `${turns} of ${limits.maxTurns}`;
	return `${turns}, for the newest message ${turnsTaken(agent)} of ${limits.maxTurns}`;
}

function usedFacts({ run }: Scene, agent: Agent): Fact[] {
	const context = describeContext(agent);
	const below = totalsWithin(run, agent.id);
	const waiting = agent.messages?.length ?? 0;
	const facts: Fact[] = [
		{ name: "turns", text: `${turnsOf(agent)}, ${counted(agent.commands, "command")}` },
		...(waiting === 0 ? [] : [{ name: "messages", text: `${waiting} for its next call`, tone: "warn" } as const]),
		...(context === undefined ? [] : [{ name: "context", text: context }]),
		{ name: "tokens", text: tokensByKind(agent.usage) },
		{ name: "spent", text: describeCost(agent.costUsd) ?? "nothing" },
	];
	if (below.agents > 1) {
		const text = `${tokensByKind(below.usage)}; ${describeCost(below.costUsd) ?? "no dollars"}`;
		facts.push({ name: "+ below", text: `${counted(below.agents, "agent")}: ${text}` });
	}
	return facts;
}

function tokensByKind({ input, cacheRead, cacheWrite, output }: Usage): string {
	const [read, write] = [formatTokens(cacheRead), formatTokens(cacheWrite)];
	return `${formatTokens(input)} in, ${read} from the cache, ${write} into it, ${formatTokens(output)} out`;
}

/** What somebody has set stands first, and stands out. */
function limitFacts({ run }: Scene, agent: Agent): Fact[] {
	const set = describeSetLimits(agent.limits, depthOf(agent.id));
	const usual = describeUsualLimits(agent.limits, depthOf(agent.id));
	return [
		...budgetLines(run, agent).map((text, at) => ({
			name: at === 0 ? "budget" : "",
			text: text.replace(/^budget /, ""),
		})),
		...(set === "" ? [] : [{ name: "limits", text: set }]),
		{ name: set === "" ? "limits" : "", text: `as usual: ${usual}`, tone: "dim" },
	];
}

function fileFacts({ commands }: Agent, directory: string | undefined): Fact[] {
	if (directory === undefined) return [];
	const logs = commands === 0 ? [] : commands === 1 ? [commandLog(1)] : [`${commandLog(1)} … ${commandLog(commands)}`];
	return [
		{ name: "files", text: directory },
		{ name: "", text: ["agent.json", "transcript.jsonl", ...logs].join(", ") },
	];
}

function counted(count: number, one: string): string {
	return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}
