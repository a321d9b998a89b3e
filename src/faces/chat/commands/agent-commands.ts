/** Slash commands about the agents of the conversation: who there is, what they do, and how they are held and stopped. */

import { isAgentId } from "../../../core/agent-id.ts";
import { type Agent, type AgentId, depthOf, isOver, ROOT } from "../../../core/model/agent.ts";
import { pauseOf } from "../../../core/run/pause.ts";
import { agentsInOrder } from "../../../core/run/run-state.ts";
import { firstLine } from "../../../text/safe/terminal-safe.ts";
import { doingLine } from "../../../view/agents/doing-now.ts";
import { type ChatState, complainOf, type Next, next, type Told, tell } from "../chat-state.ts";
import { decline, request, requestStop } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

/** Of more agents the newest are listed: the rest is for /tree. */
const MOST_LISTED = 40;

export const AGENT_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "tree", synonyms: ["dashboard", "watch"], argument: "[agent]", completes: "agents", needsRun: true },
		help: "open the dashboard; q to return",
		act: (state, given) =>
			withAgent(state, { given, usual: ROOT }, ({ id }) => next(state, { do: "show_tree", selected: id })),
	},
	{
		...{ word: "agents", synonyms: ["list"], needsRun: true },
		help: "list agents and what each is doing",
		act: (state) => next(state, { do: "tell", told: listed(state) }),
	},
	{
		...{ word: "show", argument: "[agent]", completes: "agents", needsRun: true },
		help: "show what an agent did",
		act: (state, given) =>
			withAgent(state, { given, usual: ROOT }, ({ id }) =>
				next(state, { do: "look_up", what: { is: "show", agent: id } }),
			),
	},
	{
		...{ word: "ps", synonyms: ["bashes", "processes"], needsRun: true },
		help: "show the run as agent ps does: states, times, pids, tokens, cost",
		act: (state) => next(state, { do: "look_up", what: { is: "ps" } }),
	},
	{
		...{ word: "stop", synonyms: ["kill"], argument: "<agent>", completes: "agents", needsRun: true },
		help: "stop an agent and all below it (Esc interrupts the main agent)",
		act: stop,
	},
	{
		...{ word: "pause", synonyms: ["hold"], argument: "[agent]", completes: "agents", needsRun: true },
		help: "pause everything, or an agent and all below it, before the next call",
		act: (state, given) => withAgent(state, { given, usual: ROOT }, (agent) => pause(state, agent)),
	},
	{
		...{ word: "continue", synonyms: ["unpause"], argument: "[agent]", completes: "agents", needsRun: true },
		help: "end a pause",
		act: (state, given) =>
			withAgent(state, { given, usual: ROOT }, ({ id }) => request(state, { say: "continue", agent: id })),
	},
];

interface AgentArgument {
	readonly given: string;
	readonly usual: AgentId;
}

function withAgent(state: ChatState, { given, usual }: AgentArgument, act: (agent: Agent) => Next): Next {
	const id = given === "" ? usual : given.replace(/^@/, "");
	const agent = isAgentId(id) ? state.run?.agents[id] : undefined;
	return agent === undefined ? decline(state, `no agent ${given}: see /agents`) : act(agent);
}

function pause(state: ChatState, agent: Agent): Next {
	const paused = isOver(agent) ? undefined : pauseOf(agent);
	if (paused === undefined) return request(state, { say: "pause", agent: agent.id, isHard: false });
	const command = paused.by === ROOT ? "/continue" : `/continue ${paused.by}`;
	const who = agent.id === ROOT ? "everything is" : `agent ${agent.id} is`;
	return next(state, tell(`${who} already paused; to continue: ${command}`, "dim"));
}

function stop(state: ChatState, given: string): Next {
	return withAgent(state, { given, usual: ROOT }, (agent) => {
		if (agent.id === ROOT) return next(state, complainOf("to interrupt the agent: Esc; to end the chat: /quit"));
		if (isOver(agent)) return next(state, complainOf(`agent ${agent.id} has already ended`));
		return requestStop(state, agent.id);
	});
}

function listed(state: ChatState): Told[] {
	const { run, now } = state;
	if (run === undefined) return [];
	const all = agentsInOrder(run);
	const below = all.filter(({ id }) => id !== ROOT);
	if (below.length === 0) return [{ text: "no other agents yet", tone: "dim" }];
	const alive = below.filter((agent) => !isOver(agent));
	const shown = (below.length <= MOST_LISTED ? below : alive).slice(-MOST_LISTED);
	const left = below.length - shown.length;
	const more: Told[] = left === 0 ? [] : [{ text: `… ${left} more: see /tree`, tone: "dim" }];
	return [...shown.map((agent) => lineOf(agent, now)), ...more];
}

function lineOf(agent: Agent, now: number): Told {
	const indent = "  ".repeat(depthOf(agent.id) - 1);
	const does = doingLine(agent, { now });
	const what = `${indent}${agent.id}  ${firstLine(agent.task)}`;
	return { text: `${what}  (${does})`, tone: isOver(agent) ? "dim" : "plain" };
}
