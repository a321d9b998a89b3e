/**
 * What there is to know about one agent, fact by fact, each behind its name: above its transcript, and in the details of the
 * dashboard. What agents wrote is made safe for a terminal. Pure.
 */

import { formatBytes } from "../../core/bytes.ts";
import { depthOf, parentOf, ROOT } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/message-marks.ts";
import { turnsTaken } from "../../core/run/chat-progress.ts";
import { pauseOf } from "../../core/run/pause.ts";
import { type RunState, totalsOf } from "../../core/run/run-state.ts";
import { budgetsOf, totalsWithin } from "../../core/run/spending.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { todoLines } from "../../core/todo.ts";
import { describeContext } from "../../models/catalogue.ts";
import { formatDuration } from "../../text/durations.ts";
import { describeLimits, describeSetLimits, describeUsualLimits } from "../../text/limits.ts";
import { counted, formatDollars, formatTokens } from "../../text/numbers.ts";
import { inOneLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { dateTime } from "../words/clock-time.ts";
import { describeSandbox } from "../words/sandbox.ts";
import { describeBudget, describeSpending } from "../words/usage.ts";
import { describeWorktree } from "../words/worktrees.ts";
import type { Tone } from "./doing-now.ts";
import type { AgentView } from "./run-view.ts";

/** `name` is "" for what goes on with the fact before it. */
export interface AgentFact {
	readonly name: string;
	readonly text: string;
	readonly tone?: Tone;
	/** It is not broken, so that it can be copied. */
	readonly isPath?: true;
}

/** Where it works, and where its files are. */
export function placeFacts(run: RunState, agent: string, { file, directory }: FactFiles): AgentFact[] {
	const worktree = run.worktrees?.[agent];
	return [
		...(file === undefined ? [] : [{ name: "where", text: oneLine(file.cwd), isPath: true } as const]),
		...(directory === undefined ? [] : [{ name: "files", text: oneLine(directory), isPath: true } as const]),
		...(worktree === undefined ? [] : [{ name: "tree", text: describeWorktree(worktree), isPath: true } as const]),
	];
}

export interface FactFiles {
	/** agent.json; undefined while it is not known. */
	readonly file: AgentFile | undefined;
	/** The directory of its files. */
	readonly directory?: string | undefined;
	/** Nothing is left out. */
	readonly isWhole?: boolean;
}

/** What it was started as. `view`: undefined for an agent that the event log does not know. */
export function originFacts(view: AgentView | undefined, { file, isWhole = false }: FactFiles): AgentFact[] {
	const role = file && describeRole(file);
	const told = file && describeToldFiles(file, isWhole);
	const prompt = [
		...(file?.systemPrompt === undefined ? [] : ["its own system prompt"]),
		...(file?.appendSystemPrompt === undefined ? [] : ["with an addition to the system prompt"]),
	];
	return [
		...processFacts(view, file),
		...modelFacts(view, file),
		...prompt.map((text) => ({ name: "", text })),
		...(role === undefined ? [] : [{ name: "role", text: oneLine(role) }]),
		...(told === undefined ? [] : [{ name: "from", text: oneLine(told) }]),
		...(file?.sandbox === undefined ? [] : [{ name: "sandbox", text: describeSandbox(file.sandbox) }]),
	];
}

function processFacts(view: AgentView | undefined, file: AgentFile | undefined): AgentFact[] {
	const startedAt = view?.agent.joinedAt ?? file?.joinedAt;
	const facts = [
		...(view === undefined ? [] : [`pid ${view.agent.pid}`]),
		...(startedAt === undefined ? [] : [`started ${dateTime(startedAt)}`]),
	];
	const parent = view && parentOf(view.id);
	const command = view?.agent.command;
	const by = command === undefined ? `agent ${parent}` : `command ${command} of agent ${parent}`;
	return [{ name: "process", text: facts.join(", ") }, ...(parent === undefined ? [] : [{ name: "by", text: by }])];
}

function modelFacts(view: AgentView | undefined, file: AgentFile | undefined): AgentFact[] {
	const model = view?.agent.model ?? file?.model;
	const effort = view?.agent.effort ?? file?.effort;
	if (model === undefined) return [];
	return [{ name: "model", text: `${oneLine(model)}${effort === undefined ? "" : `, effort ${oneLine(effort)}`}` }];
}

/** How it stands: what it does, its plan, what it has used, and what is left to it. */
export function standingFacts(run: RunState, view: AgentView): AgentFact[] {
	const { agent, line, ageMs } = view;
	const pause = pauseOf(agent);
	const all = totalsWithin(run, agent.id);
	const context = describeContext(agent);
	const waiting = agent.messages?.length ?? 0;
	return [
		{ name: "state", text: line },
		...(pause === undefined ? [] : [pausedFact(agent.id, pause)]),
		...named(
			"plan",
			todoLines(agent.todo ?? []).map((item) => inOneLine(item)),
		),
		...(waiting === 0 ? [] : [{ name: "messages", text: `${waiting} queued`, tone: "warn" } as const]),
		{ name: "used", text: `${describeSpending(totalsOf([agent]))}, ${formatDuration(ageMs)}` },
		...(all.agents > 1 ? [{ name: "all", text: `with ${all.agents - 1} below: ${describeSpending(all)}` }] : []),
		...named("budget", budgetTexts(run, agent.id)),
		...(context === undefined ? [] : [{ name: "context", text: context }]),
	];
}

function pausedFact(agent: string, { by, since, from }: NonNullable<ReturnType<typeof pauseOf>>): AgentFact {
	const whole = by === agent ? "" : `, with all below ${by}`;
	return { name: "paused", text: `${dateTime(since)} by ${senderName(from)}${whole}`, tone: "warn" };
}

/** Those that bind the agent, `of the run: $0.42 of $2, $1.58 left`. One that is equal to that of the agent above is said once. */
export function budgetTexts(run: RunState, id: string): string[] {
	const agent = run.agents[id];
	if (agent === undefined) return [];
	const above = run.agents[parentOf(id) ?? ""];
	const ofAbove = above === undefined ? [] : budgetsOf(above.limits, totalsOf([]));
	const own = budgetsOf(agent.limits, totalsWithin(run, id)).filter(
		({ limit, most }) => !ofAbove.some((other) => other.limit === limit && other.most === most),
	);
	const whose = id === ROOT ? "the run" : id;
	return [
		...own.map((budget) => {
			const left = budget.spent === null ? undefined : Math.max(0, budget.most - budget.spent);
			const amount = (value: number) => (budget.limit === "max-tokens" ? formatTokens(value) : formatDollars(value));
			return `of ${whose}: ${describeBudget(budget)}${left === undefined ? "" : `, ${amount(left)} left`}`;
		}),
		...budgetTexts(run, above?.id ?? ""),
	];
}

/** What its commands do now, and how many turns it has taken of those that it may. */
export function workFacts({ agent }: AgentView, now: number): AgentFact[] {
	const { turns, limits, commands, running, talked } = agent;
	const ofMessage = talked === undefined ? "" : `, for the newest message ${turnsTaken(agent)} of ${limits.maxTurns}`;
	const taken = talked === undefined ? `${turns} of ${limits.maxTurns}` : `${turns}${ofMessage}`;
	return [
		{ name: "turns", text: `${taken}, ${counted(commands, "command")}` },
		...named(
			"running",
			running.map(
				({ command, pid, since, text }) =>
					`command ${command}, pid ${pid}, for ${formatDuration(now - since)}: ${oneLine(text)}`,
			),
		),
	];
}

/** What somebody has set stands first; with `isWhole` the defaults, too. */
export function limitFacts({ id, limits }: { id: string; limits: AgentFile["limits"] }, isWhole: boolean): AgentFact[] {
	const set = describeSetLimits(limits, depthOf(id));
	if (set === "") return isWhole ? [{ name: "limits", text: describeLimits(limits) }] : [];
	const usual: AgentFact[] = isWhole
		? [{ name: "", text: `default: ${describeUsualLimits(limits, depthOf(id))}`, tone: "dim" }]
		: [];
	return [{ name: "limits", text: set }, ...usual];
}

function named(name: string, texts: readonly string[]): AgentFact[] {
	return texts.map((text, at) => ({ name: at === 0 ? name : "", text }));
}

/** The role of an agent, and the files that tell it how to work, as people read them. Pure. */

const MOST = 6;

interface InRole {
	readonly role?: string;
	readonly roleFile?: string;
	readonly roleNotices?: readonly string[];
}

/** `tester, from /repo/.agentree/agents/tester.md`, and what of it has no effect; undefined for an agent without a role. */
function describeRole({ role, roleFile, roleNotices = [] }: InRole): string | undefined {
	if (role === undefined) return undefined;
	const from = roleFile === undefined ? "" : `, from ${roleFile}`;
	return `${role}${from}${roleNotices.length === 0 ? "" : `; without effect: ${roleNotices.join("; ")}`}`;
}

interface Told {
	readonly instructionFiles?: readonly { readonly path: string; readonly bytes: number }[];
	readonly withoutInstructions?: true;
}

/** `/repo/AGENTS.md (1.2 KiB), … and 3 more`; undefined when there is nothing to say. */
function describeToldFiles({ instructionFiles = [], withoutInstructions }: Told, isWhole = false): string | undefined {
	if (withoutInstructions) return "no files (--no-instructions)";
	if (instructionFiles.length === 0) return undefined;
	const shown = isWhole ? instructionFiles : instructionFiles.slice(0, MOST);
	const more = instructionFiles.length - shown.length;
	const names = shown.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`).join(", ");
	return more === 0 ? names : `${names} and ${more} more`;
}
