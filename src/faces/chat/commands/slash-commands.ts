/** The slash commands of the conversation: their table, in the order of the help, and how the one that a person means is found. Pure. */
import { isAgentId } from "../../../core/agent-id.ts";
import { EFFORTS } from "../../../core/effort.ts";
import { type Agent, isOver, ROOT } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { MAX_NAME_CHARS, runName } from "../../../core/run/run-id.ts";
import { withArguments } from "../../../project/instructions/user-command.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { andThen, type ChatState, type Next, next, print, printError, printLines, rootOf } from "../chat-state.ts";
import { leave } from "../leaving.ts";
import { lookAtUndo, pick } from "../questions.ts";
import { request, requestStop, say } from "../requests.ts";
import { answerQuestion, setEffort, setLimit, setModel, setRole } from "./command-acts.ts";
import { agentList, costs, helpLine, permissions, questionList, wholeHelp } from "./command-texts.ts";

export interface SlashCommand {
	readonly word: string;
	/** Other words for it, as people know them from elsewhere. */
	readonly synonyms?: readonly string[];
	/** `[agent]`, `<question>`: what may and what must follow; absent: nothing may. */
	readonly argument?: string;
	readonly completes?: "agents" | "models" | "efforts" | "limits" | "commands" | "files" | "roles";
	readonly help: string;
	/** Before the first message there is nothing that it could be about. */
	readonly needsRun?: true;
	/** `argument`: what follows the word, without blanks around it. */
	readonly act: (state: ChatState, argument: string) => Next;
}

const OF_AGENT = { argument: "[agent]", completes: "agents", needsRun: true } as const;

const INIT =
	"Look through this directory: what it is, how it is built, tested and organized, and which conventions its authors follow. " +
	"Then write AGENTS.md in its root (if there is one already, correct and complete it): what someone new to this project needs to know " +
	"and cannot see at a glance. Commands that work, checked by you; no general advice; at most a page. Tell me in a few lines what it says.";

export const SLASH_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "help", synonyms: ["?", "commands", "keys"], argument: "[command]", completes: "commands" },
		help: "list commands and keys, or explain one command",
		act: help,
	},
	{
		...{ word: "tree", synonyms: ["dashboard", "watch"], ...OF_AGENT },
		help: "open the dashboard; q to return",
		act: (state, argument) => withAgent(state, argument, ({ id }) => next(state, { do: "show_tree", selected: id })),
	},
	{
		...{ word: "agents", synonyms: ["list"], needsRun: true },
		help: "list agents and what each is doing",
		act: (state) => next(state, { do: "print", lines: agentList(state) }),
	},
	{
		...{ word: "show", ...OF_AGENT },
		help: "show what an agent did",
		act: (state, argument) =>
			withAgent(state, argument, ({ id }) => next(state, { do: "look_up", what: { is: "show", agent: id } })),
	},
	{
		...{ word: "ps", synonyms: ["bashes", "processes"], needsRun: true },
		help: "show the run as agent ps does: states, times, pids, tokens, cost",
		act: (state) => next(state, { do: "look_up", what: { is: "ps" } }),
	},
	{
		...{ word: "stop", synonyms: ["kill"], ...OF_AGENT, argument: "<agent>" },
		help: "stop an agent and all below it (Esc interrupts the main agent)",
		act: (state, argument) => withAgent(state, argument, (agent) => stop(state, agent)),
	},
	{
		...{ word: "pause", synonyms: ["hold"], ...OF_AGENT },
		help: "pause everything, or an agent and all below it, before the next call",
		act: (state, argument) => withAgent(state, argument, (agent) => pause(state, agent)),
	},
	{
		...{ word: "continue", synonyms: ["unpause"], ...OF_AGENT },
		help: "end a pause",
		act: (state, argument) => withAgent(state, argument, ({ id }) => request(state, { say: "continue", agent: id })),
	},
	{
		...{ word: "questions", synonyms: ["asks"], needsRun: true },
		help: "list open questions from agents",
		act: (state) => next(state, { do: "print", lines: questionList(state) }),
	},
	{
		...{ word: "answer", synonyms: ["approve"], argument: "<answer>", needsRun: true },
		help: "answer a question: its number if there are several, then yes, always, project, no and a reason, stop, a choice, or text",
		act: answerQuestion,
	},
	{
		...{ word: "new", synonyms: ["clear", "reset"] },
		help: "start a new chat",
		act: (state) => leave(state, { is: "new" }),
	},
	{
		...{ word: "btw", synonyms: ["ask", "aside"], argument: "<question>", needsRun: true },
		help: "ask a side question: answered from the conversation, but not added to it",
		act: (state, argument) => request(state, { say: "aside", agent: ROOT, text: argument }),
	},
	{
		...{ word: "compact", synonyms: ["summarize", "summarise"], argument: "[what to keep]", needsRun: true },
		help: "replace earlier messages with a summary that keeps what you name",
		act: (state, argument) =>
			request(state, { say: "compact", agent: ROOT, ...(argument !== "" && { keep: argument }) }),
	},
	{
		...{ word: "resume", synonyms: ["load"], argument: "[words]" },
		help: "switch to another chat",
		act: (state, argument) => pick(state, argument, false),
	},
	{
		...{ word: "sessions", synonyms: ["ls", "history"], argument: "[words]" },
		help: "list the chats of this directory; words filter them",
		act: (state, argument) => next(state, { do: "look_up", what: { is: "sessions", words: argument } }),
	},
	{
		...{ word: "fork", synonyms: ["branch"], needsRun: true },
		help: "continue in a copy of this chat",
		act: (state) => leave(state, { is: "resume", run: undefined, isFork: true }),
	},
	{
		...{ word: "undo", synonyms: ["rewind"], argument: "[number]", needsRun: true },
		help: "show file changes since before your last message, and restore the files if you confirm",
		act: (state, argument) => {
			const to = argument === "" ? undefined : Number(argument);
			if (to === undefined || (Number.isSafeInteger(to) && to > 0)) return lookAtUndo(state, to);
			const text = "/undo takes the number of a saved state; list them in a shell: agent undo --list";
			return next(state, printError(text));
		},
	},
	{
		...{ word: "diff", synonyms: ["changes"], needsRun: true },
		help: "show files changed since the chat began",
		act: (state) => next(state, { do: "look_up", what: { is: "diff" } }),
	},
	{
		...{ word: "name", synonyms: ["rename", "title"], argument: "<text>", needsRun: true },
		help: "name this chat for lists",
		act: (state, argument) => {
			const name = runName(argument);
			if (name !== undefined) return request(state, { say: "name", name });
			return next(state, printError(`a name can have at most ${MAX_NAME_CHARS} characters`));
		},
	},
	{
		...{ word: "export", synonyms: ["save"], argument: "[file]", completes: "files", needsRun: true },
		help: "export the run as an HTML page, by default to this directory",
		act: (state, argument) => next(state, { do: "look_up", what: { is: "export", file: argument } }),
	},
	{
		...{ word: "copy", argument: "[number]", needsRun: true },
		help: "copy the last answer, or an earlier one, to the clipboard",
		act: (state, argument) =>
			next(state, { do: "copy_answer", back: Math.max(0, (Number.parseInt(argument, 10) || 1) - 1) }),
	},
	{
		word: "init",
		help: "have the agent write an AGENTS.md for this directory",
		act: (state) => say(state, INIT),
	},
	{
		word: "editor",
		help: "edit the message in $EDITOR (Ctrl-G)",
		act: (state) => next(state, { do: "open_editor" }),
	},
	{
		...{ word: "quit", synonyms: ["exit", "q", "bye"] },
		help: "quit; asks before stopping working agents",
		act: (state) => leave(state),
	},
	{
		...{ word: "model", argument: "[name]", completes: "models" },
		help: "show or change the model, from the next call on",
		act: setModel,
	},
	{
		...{ word: "effort", synonyms: ["think"], argument: "[level]", completes: "efforts" },
		help: `show or change the effort, from the next call on: ${EFFORTS.join(", ")}`,
		act: setEffort,
	},
	{
		...{ word: "limits", synonyms: ["limit", "budget"], argument: "[name value]", completes: "limits" },
		help: "show or change limits: /limits max-budget-usd 5; off removes a limit that has no default",
		act: setLimit,
	},
	{
		...{ word: "permissions", synonyms: ["sandbox", "allowed"] },
		help: "show what agents are allowed to do here",
		act: (state) => next(state, printLines(permissions(state))),
	},
	{
		...{ word: "role", argument: "[name]", completes: "roles" },
		help: "choose the agent's role before the chat starts; without a name: list roles",
		act: setRole,
	},
	{
		...{ word: "thinking", synonyms: ["verbose"], argument: "[on|off]" },
		help: "show the model's thinking in full or only its first line",
		act: (state, argument) => {
			const isShown = argument === "" ? !state.showsThinking : argument === "on";
			const text = isShown ? "thinking is shown in full" : "only the first line of thinking is shown";
			return next({ ...state, showsThinking: isShown }, { do: "show_thinking", isShown }, print(text, "dim"));
		},
	},
	{
		...{ word: "expand", argument: "[number]", needsRun: true },
		help: "show a command's whole output: the last one, or by number",
		act: (state, argument) => {
			const command = argument === "" ? (rootOf(state)?.commands ?? 0) : Number(argument);
			const isNumber = Number.isSafeInteger(command) && command > 0;
			return next(state, isNumber ? { do: "expand", command } : printError("no such command"));
		},
	},
	{
		...{ word: "cost", synonyms: ["usage", "tokens", "stats"], needsRun: true },
		help: "show turns, tokens and cost: this agent, all agents, by model",
		act: (state) => next(state, printLines(costs(state))),
	},
	{
		...{ word: "context", needsRun: true },
		help: "show what fills the context",
		act: (state) => request(state, { say: "context", agent: ROOT }),
	},
];

/** With those that files of the user and the project define. */
export function commandsOf({ facts }: ChatState): readonly SlashCommand[] {
	const ofFiles = facts.commands.map(({ name, description, argumentHint, text }) => ({
		...{ word: name.toLowerCase(), help: description, argument: argumentHint || "[arguments]" },
		act: (state: ChatState, argument: string) => say(state, withArguments(text, argument)),
	}));
	return [...SLASH_COMMANDS, ...ofFiles];
}

/** The command that the word, without its slash, stands for. */
export function findCommand(rows: readonly SlashCommand[], by: string): SlashCommand | undefined {
	return rows.find(({ word, synonyms = [] }) => word === by || synonyms.includes(by));
}

interface SlashLine {
	readonly word: string;
	readonly argument: string;
	readonly text: string;
}

/** The command stays to be seen, also one that cannot be run: it leaves the line, so that what is typed next is not added to it. */
export function runSlashCommand(state: ChatState, { word, argument, text }: SlashLine): Next {
	const rows = commandsOf(state);
	const command = findCommand(rows, word);
	return andThen(next(state, { do: "echo", text: text.trim() }), (now) => {
		if (command === undefined) return next(now, printError(`unknown command /${word}${meant(word, rows)}; see /help`));
		const fault = faultOf(command, argument, now);
		return fault === undefined ? command.act(now, argument) : next(now, printError(fault));
	});
}

function faultOf(command: SlashCommand, argument: string, { run }: ChatState): string | undefined {
	const { word, argument: form, needsRun } = command;
	if (form === undefined && argument !== "") return `/${word} takes no arguments`;
	if (form?.startsWith("<") && argument === "") return `/${word} needs ${form}`;
	if (needsRun === true && run === undefined) return `/${word} needs a running chat: send a message first`;
	return undefined;
}

function meant(word: string, rows: readonly SlashCommand[]): string {
	const words = rows.flatMap((row) => [row.word, ...(row.synonyms ?? [])]);
	const nearest = words.find((known) => word.length > 1 && known.startsWith(word)) ?? nearestName(word, words);
	return nearest === undefined ? "" : `; did you mean /${nearest}?`;
}

function help(state: ChatState, argument: string): Next {
	const word = argument.replace(/^\//, "").toLowerCase();
	const rows = commandsOf(state);
	if (word === "") {
		const ofTable = SLASH_COMMANDS.length;
		return next(state, { do: "print", lines: wholeHelp(rows.slice(0, ofTable), rows.slice(ofTable)) });
	}
	const found = findCommand(rows, word);
	return next(state, found === undefined ? printError(`unknown command /${word}; see /help`) : print(helpLine(found)));
}

/** Without an argument: the agent that the person talks with. */
function withAgent(state: ChatState, argument: string, act: (agent: Agent) => Next): Next {
	const id = argument === "" ? ROOT : argument.replace(/^@/, "");
	const agent = isAgentId(id) ? state.run?.agents[id] : undefined;
	return agent === undefined ? next(state, printError(`no agent ${argument}: see /agents`)) : act(agent);
}

function pause(state: ChatState, agent: Agent): Next {
	const paused = isOver(agent) ? undefined : pauseOf(agent);
	if (paused === undefined) return request(state, { say: "pause", agent: agent.id, isHard: false });
	const command = paused.by === ROOT ? "/continue" : `/continue ${paused.by}`;
	const who = agent.id === ROOT ? "everything is" : `agent ${agent.id} is`;
	return next(state, print(`${who} already paused; to continue: ${command}`, "dim"));
}

function stop(state: ChatState, agent: Agent): Next {
	if (agent.id === ROOT) return next(state, printError("to interrupt the agent: Esc; to end the chat: /quit"));
	if (isOver(agent)) return next(state, printError(`agent ${agent.id} has already ended`));
	return requestStop(state, agent.id);
}
