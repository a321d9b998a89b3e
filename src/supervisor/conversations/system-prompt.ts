/** The system prompt: the same bytes in every turn of an agent, since the service's cache begins with it. Pure. */
import { LIMIT_TABLE, type Limit, type Limits, type PromptLine } from "../../core/limits/limits.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type AgentId, depthOf } from "../../core/model/agent.ts";
import { BASH, DEFAULT_TIMEOUT_MS, MAX_RESULT_CHARS, MAX_TIMEOUT_MS } from "../../core/model/bash-tool.ts";
import type { Tool } from "../../core/model/message.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { formatLimit } from "../../text/limits.ts";
import { promptPath } from "../../text/prompt-path.ts";
import { describeSandbox } from "../../view/words/sandbox.ts";
import { describeUncommitted } from "../../view/words/worktrees.ts";

export interface PromptInput {
	agent: AgentId;
	cwd: string;
	limits: Limits;
	sandbox?: Confinement;
	/** It is the root of a conversation. */
	isTalkedWith?: boolean;
	/** A question to a person waits until one answers. */
	mayAsk?: boolean;
	/** A person can be asked to let a command leave the sandbox. */
	mayLeave?: boolean;
	systemPrompt?: string;
	/** What its role tells it, and the role's name. */
	rolePrompt?: string;
	role?: string;
	/** The file that defines the role; absent for a built-in one. */
	roleFile?: string;
	/** What files of the project and the user tell. */
	instructions?: string;
	appendSystemPrompt?: string;
	/** The text of the JSON Schema that the answer has to fit. */
	jsonSchema?: string;
	/** What it found where it began, in a line. */
	surroundings?: string;
	/** The git worktree that was made for it. */
	worktree?: OwnWorktree;
}

export function systemPrompt(input: PromptInput): string {
	const own = input.systemPrompt ?? builtIn(input);
	return [
		own,
		input.surroundings,
		worktreeText(input),
		limitsText(input),
		sandboxText(input),
		askText(input),
		roleText(input),
		input.instructions,
		input.appendSystemPrompt,
		schemaText(input),
	]
		.filter((part) => part !== undefined && part.trim() !== "")
		.join("\n\n");
}

function builtIn(input: PromptInput): string {
	return `${input.isTalkedWith ? inConversation(input) : onTask(input)}

Look before you change anything. Check your work by running it. If something cannot be done, say so and why; never claim what you have not seen.

You can hand an independent part of the task to a child agent: agent "task" in bash (git diff | agent --stdin "review this" adds piped input). It has its own context, works in the directory where you start it, and knows only your words: name the files, the goal, and the form of answer you want. Run independent parts in parallel. Child agents that change files of the same git repository each need a worktree and a branch, which you merge: agent --worktree "task". A worktree has only committed files, so commit what they need first; it has no ignored files (node_modules, .env). If something takes only a few commands, do it yourself. Roles: agent --role explore "task" (looks, changes nothing), plan (answers with a plan), code (changes files and checks them).`;
}

function worktreeText({ worktree }: PromptInput): string | undefined {
	if (worktree === undefined) return undefined;
	const { path, origin, branch, ignored = [] } = worktree;
	const changes = describeUncommitted(worktree);
	const absent =
		ignored.length === 0 ? "" : ` Ignored files there that are missing here: ${ignored.map(promptPath).join(", ")}.`;
	return `${path} is a git worktree of ${origin}, created only for you, on the branch ${branch}. Change files here, not in ${origin}, where others work; commit your work. It has only committed files${changes === undefined ? "" : `: ${changes}`}.${absent} When you have finished, the person or agent that started you finds your work on that branch.`;
}

function askText({ mayAsk }: PromptInput): string | undefined {
	if (!mayAsk) return undefined;
	return `A person can be asked: agent ask "question" [--choices a,b,c] [--why "reason"] waits for the answer, however long it takes, and prints it; a no is exit status 1. Ask only what you cannot find out and what would be costly to guess wrong. An unanswered question approves nothing.`;
}

/** So that it knows what will fail. */
function sandboxText({ sandbox, mayLeave }: PromptInput): string | undefined {
	if (sandbox === undefined) return undefined;
	return `Your commands, and those of your child agents, run in a sandbox (${describeSandbox(sandbox)}); elsewhere they can read everything except secrets, which are hidden. Later commands can reach background processes on localhost, but cannot see or signal them: the result names the file that ends one, or its pid if it can be signaled. Do not retry what the sandbox has refused: reach the goal by other means, ${mayLeave ? LEAVING : "or say in your answer what was not done."}`;
}

const LEAVING = `or ask a person to let one command leave it: agent ask --run "command" --why "reason" runs it after a yes and exits with its status (with --allow-write DIR or --allow-host NAME it stays in the sandbox, with that access added). Otherwise say in your answer what was not done.`;

/** A role that a file defines may speak of tools that there are not here. */
function roleText({ role, rolePrompt, roleFile }: PromptInput): string | undefined {
	if (role === undefined || rolePrompt === undefined) return undefined;
	const tools = roleFile === undefined ? "" : " If it mentions other tools, use bash instead.";
	return `Your role is ${role}.${tools}\n\n${rolePrompt}`;
}

function schemaText({ jsonSchema }: PromptInput): string | undefined {
	if (jsonSchema === undefined) return undefined;
	return `Your answer, the last message without a tool call, must be one JSON value that matches this JSON Schema, with nothing before or after it. A program reads and checks it.\n\n${jsonSchema.trim()}`;
}

function onTask({ agent, cwd, mayAsk }: PromptInput): string {
	const isRoot = depthOf(agent) === 0;
	const reader = isRoot ? "The person who gave you the task" : "The agent that gave you the task";
	return `You are an agent: an operating-system process with one tool, bash, working on one task until it is done. You work in ${promptPath(cwd)}.

${reader} sees only your last message: the one without a tool call. It is printed to stdout unchanged. Put the whole answer there, and nothing else.${mayAsk ? "" : " Nobody can answer questions: decide, and say what you decided."}`;
}

function inConversation({ cwd }: PromptInput): string {
	return `You are an agent: an operating-system process with one tool, bash, in a conversation with a person, in their terminal. You work in ${promptPath(cwd)}.

The person sees your messages as you write them, and your commands with the first lines of their output. Your turn ends with a message without a tool call. The person may see nothing but that message, so put in it what they need to know, and no more. Do what was asked until it is done; ask only what you cannot find out and what would be costly to guess wrong. The person may write while you work, or interrupt you: what they say last counts.`;
}

/** The limits in force, in the order of the limit table: what the model may use, and what follows when it is used up. */
function limitsText({ agent, limits, isTalkedWith }: PromptInput): string {
	const parts = new Map<string, string[]>();
	for (const { key, unit, prompt, promptLine } of inPromptOrder(LIMIT_TABLE)) {
		const most = limits[key];
		if (most === undefined) continue;
		const line = promptLine ?? key;
		const words = prompt(formatLimit(unit, most));
		const text = key === "maxTurns" && isTalkedWith ? `${words} after each message of the person` : words;
		parts.set(line, [...(parts.get(line) ?? []), text]);
	}
	const lines = [...parts].map(
		([line, words]) => `- ${isPromptLine(line) ? LINES[line](words, limits) : words.join()}`,
	);
	return `You are agent ${agent}. Limits in force:\n${lines.join("\n")}`;
}

function inPromptOrder(limits: readonly Limit[]): Limit[] {
	return limits.toSorted((a, b) => (a.promptOrder ?? 0) - (b.promptOrder ?? 0));
}

/** The rest of a budget is not here: it changes from turn to turn, and the prompt's bytes may not. */
const LINES: Readonly<Record<PromptLine, (parts: readonly string[], limits: Limits) => string>> = {
	children: (parts, { maxDepth }) =>
		maxDepth <= 0
			? "You cannot start child agents (max-depth is reached): do the task yourself."
			: `Child agents: ${parts.join(", ")}. A child that is refused exits with status 4 and says why.`,
	turns: (parts) => `Turns (one model call and its commands): ${parts.join(", ")}. After that you can only report.`,
	budget: (parts) =>
		`Budget: model calls by you and all below you can use at most ${parts.join(" and ")}. You are told when most of it is used. After that you can only report.`,
};

function isPromptLine(name: string): name is PromptLine {
	return Object.hasOwn(LINES, name);
}

/** The tools that models are offered: bash alone. The same bytes in every request of a run. */

const RESULT = String(MAX_RESULT_CHARS).replace(/\d{3}$/, ",$&");

const BASH_TOOL: Tool = {
	name: BASH,
	description: `Runs a command in bash and returns its output: stdout and stderr together, in order.

- Each call is a new shell in the same working directory. Only files stay between calls: no variables, no "cd".
- stdin is empty and there is no terminal: use non-interactive options.
- Output over ${RESULT} characters is cut in the middle; the marker names the file with the full output. Print little: head, grep -m, sed -n.
- A command has ${DEFAULT_TIMEOUT_MS / 1000} seconds, or what "timeout" asks for, up to ${MAX_TIMEOUT_MS / 1000}. Then all its processes are stopped; its output is kept. The clock stops while agents that it started are alive.
- Run servers in the background (./server > /tmp/log 2>&1 &): they stay until you are done, later commands reach them on localhost, and the result says how to stop them.
- Several calls in one answer run at the same time: put dependent commands in one call, or in the next answer.
- agent "task" starts a child agent with this same tool; its stdout is its answer. It knows only the task text, so include everything it needs. In parallel: agent "a" > /tmp/a & p=$!; agent "b" > /tmp/b & q=$!; wait $p; echo a=$?; wait $q; echo b=$?; cat /tmp/a /tmp/b
- agent edit FILE replaces text in a file with any number of blocks; each old text must occur exactly once:
agent edit a.ts <<'END'
<<<<<<< SEARCH
the old lines
=======
the new lines
>>>>>>> REPLACE
END
- agent write FILE writes stdin to a file and creates its directories.
- agent todo keeps a plan of several steps, which the person sees: agent todo set "read a.ts" "fix it" "run the tests"; later doing 2, done 2 or add "…", in the same call as other commands: agent todo done 1; npm test`,
	input_schema: {
		type: "object",
		properties: {
			command: { type: "string", description: "The command, as for bash -c. Can have many lines." },
			timeout: {
				type: "number",
				description: `Seconds until the command is stopped. Default ${DEFAULT_TIMEOUT_MS / 1000}, at most ${MAX_TIMEOUT_MS / 1000}.`,
			},
		},
		required: ["command"],
	},
};

export const TOOLS: readonly Tool[] = [BASH_TOOL];
