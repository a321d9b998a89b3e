/** What slash commands list: agents, questions, cost, permissions, and the help. Pure. */
import { type Agent, depthOf, isOver, ROOT } from "../../../core/model/agent.ts";
import { spendingByModel } from "../../../core/run/model-spending.ts";
import { agentsInOrder, totalsOf } from "../../../core/run/run-state.ts";
import { budgetsOf, totalsWithin } from "../../../core/run/spending.ts";
import { formatElapsed } from "../../../text/durations.ts";
import { firstLine, oneLine } from "../../../text/safe/terminal-safe.ts";
import { padWidth } from "../../../text/width/width.ts";
import { doingLine } from "../../../view/agents/doing-now.ts";
import { answerHint, describeAsked } from "../../../view/words/question.ts";
import { describeBudget, describeSpending, describeUsageFully } from "../../../view/words/usage.ts";
import { type ChatState, rootOf } from "../chat-state.ts";
import type { ChatLine } from "../output/messages.ts";

/** Of more agents the newest are listed: the rest is for /tree. */
const MOST_LISTED = 40;

export function agentList({ run, now }: ChatState): ChatLine[] {
	const below = (run === undefined ? [] : agentsInOrder(run)).filter(({ id }) => id !== ROOT);
	if (below.length === 0) return [{ text: "no other agents yet", tone: "dim" }];
	const shown = (below.length <= MOST_LISTED ? below : below.filter((agent) => !isOver(agent))).slice(-MOST_LISTED);
	const left = below.length - shown.length;
	const more: ChatLine[] = left === 0 ? [] : [{ text: `… ${left} more: see /tree`, tone: "dim" }];
	return [...shown.map((agent) => agentLine(agent, now)), ...more];
}

function agentLine(agent: Agent, now: number): ChatLine {
	const indent = "  ".repeat(depthOf(agent.id) - 1);
	const text = `${indent}${agent.id}  ${firstLine(agent.task)}  (${doingLine(agent, { now })})`;
	return { text, tone: isOver(agent) ? "dim" : "plain" };
}

export function questionList({ run, now }: ChatState): ChatLine[] {
	const { questions = [] } = run ?? {};
	if (questions.length === 0) return [{ text: "no open questions", tone: "dim" }];
	return questions.flatMap((question): ChatLine[] => {
		const { number, agent, at, what, why } = question;
		return [
			{ text: `${number}  agent ${agent}, ${formatElapsed(now - at)}: ${describeAsked(what)}`, tone: "plain" },
			...(why === undefined ? [] : [{ text: `   reason: ${oneLine(why)}`, tone: "dim" } as const]),
			{ text: `   ${answerHint(question, "/answer")}`, tone: "dim" },
		];
	});
}

export function costs({ run }: ChatState): string[] {
	const root = run?.agents[ROOT];
	if (run === undefined || root === undefined) return [];
	const all = agentsInOrder(run);
	const models = spendingByModel(all);
	const budgets = budgetsOf(root.limits, totalsWithin(run, ROOT));
	return [
		`${all.length === 1 ? "this chat" : "agent 1 alone"}: ${describeSpending(totalsOf([root]))}`,
		...(all.length === 1 ? [] : [`all ${all.length} agents: ${describeSpending(totalsOf(all))}`]),
		...(models.length === 1
			? []
			: models.map((spent) => `  ${spent.model}: ${describeUsageFully(spent.usage, spent.costUsd)}`)),
		...budgets.map((budget) => `${budget.limit}: ${describeBudget(budget)}`),
	];
}

export function permissions(state: ChatState): string[] {
	const { limits } = rootOf(state) ?? {};
	return [
		`${whereCommandsRun(state)}; they do not see the model keys`,
		...(limits === undefined ? [] : [`child agents: ${limits.maxAgents} in total, ${limits.maxDepth} levels`]),
		state.run?.skipsPermissions
			? "commands run without asking, except those that a rule denies; Esc interrupts"
			: "asks before git push, publishing, and commands your rules name; everything else runs (change with --ask); Esc interrupts",
	];
}

/** The places of a sandbox are looked for when the run begins. */
function whereCommandsRun(state: ChatState): string {
	const { directory, sandboxMode } = state.facts;
	const root = rootOf(state);
	const restOf = "they can read everything else except secrets";
	if (root === undefined && sandboxMode !== undefined) {
		const written = sandboxMode === "read-only" ? "nothing but /tmp" : "this project and /tmp";
		return `commands will run in a sandbox (${sandboxMode}: writes to ${written}); ${restOf}`;
	}
	if (root?.sandbox !== undefined) return `commands run in a sandbox (${root.sandbox}); ${restOf}`;
	return `commands run as you, in ${directory}, without a sandbox: they can do everything you can`;
}

/** What is no command, and works in the line all the same. */
const KEYS: readonly (readonly [string, string])[] = [
	["Enter", "send; while the agent is working, the message is queued until its commands finish"],
	["Enter, empty line", "deliver queued messages now, interrupting the agent; Ctrl-Enter sends immediately"],
	["Ctrl-J, Alt-Enter", "new line; so does \\ at the end of a line"],
	["Up", "on an empty line: take back the last queued message, else browse history; Ctrl-R to search"],
	["Esc", "interrupt the agent; queued messages return to the prompt"],
	["Ctrl-C", "interrupt; twice on an empty line: quit. Ctrl-D quits, Ctrl-Z suspends"],
	["@1.2 text", "send a message to that agent; @path completes file names"],
	["!command", "run here, and include the output in your next message; !!command: do not include it"],
	["Tab, empty line", "answer an agent's question with y, a, p, n, s, a number or text; Esc for later"],
	["Ctrl-G", "edit the message in $EDITOR"],
];

interface Helped {
	readonly word: string;
	readonly argument?: string;
	readonly help: string;
	readonly synonyms?: readonly string[];
}

/** `ofFiles`: those that files of the user and the project define. */
export function wholeHelp(rows: readonly Helped[], ofFiles: readonly Helped[]): ChatLine[] {
	const width = Math.max(...[...rows, ...ofFiles].map((row) => nameOf(row).length), ...KEYS.map(([key]) => key.length));
	const texts = [
		...rows.map((row) => helpLine(row, width)),
		...(ofFiles.length === 0 ? [] : ["", ...ofFiles.map((row) => helpLine(row, width))]),
		"",
		...KEYS.map(([key, help]) => `${padWidth(key, width)}  ${help}`),
	];
	return texts.map((text) => ({ text, tone: "plain", hang: width + 2 }));
}

export function helpLine(row: Helped, width = nameOf(row).length): string {
	const also = row.synonyms === undefined ? "" : ` (also ${row.synonyms.map((word) => `/${word}`).join(", ")})`;
	return `${padWidth(nameOf(row), width)}  ${row.help}${also}`;
}

function nameOf({ word, argument }: Helped): string {
	return argument === undefined ? `/${word}` : `/${word} ${argument}`;
}
