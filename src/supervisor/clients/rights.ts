/** What a client may ask for that has not joined: by where its process is, which is proven, never claimed. */
import { type AgentId, isWithin, parentOf } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/message-marks.ts";
import type { FromWatcher, Proof } from "../../wire/watcher-messages.ts";

type Request = Exclude<FromWatcher, Proof>;

/** The reason why the client may not ask for that; undefined when it may. `by`: the agent in whose command it is; null for a person. */
export function requestRefusal(request: Request, by: Sender): string | undefined {
	return by === null ? refusalToPerson(request) : refusalToAgent(request, by);
}

function refusalToPerson({ say }: Request): string | undefined {
	switch (say) {
		case "todo":
			return "only an agent itself can change its plan, from its commands; to see it: agent show";
		case "question":
		case "run_outside":
		case "outside_ready":
			return "only an agent can ask a person, from its commands; see agent questions";
		case "copy_record":
			return "the files of the run can be read directly";
		default:
			return undefined;
	}
}

function refusalToAgent(request: Request, own: AgentId): string | undefined {
	switch (request.say) {
		case "todo":
		case "question":
		case "run_outside":
		case "outside_ready":
			return undefined;
		case "stop_agent":
		case "pause":
		case "continue":
			return belowRefusal(request.say === "stop_agent" ? "stop" : request.say, request.agent, own);
		case "send":
			return sendRefusal(request.agent, own);
		case "copy_record":
			return readingRefusal(request.agent, own);
		case "focus":
			return request.agent === null ? undefined : readingRefusal(request.agent, own);
		case "watch":
			return request.talks ? `only a person can talk in a conversation: agent ${own} is inside it` : undefined;
		case "answer":
			return `only a person can answer questions: agent ${own} is inside this run`;
		case "name":
			return `only a person can name a run: agent ${own} is inside it`;
		case "interrupt":
		case "withdraw":
		case "close":
		case "hang_up":
		case "change":
		case "compact":
		case "aside":
		case "context":
			return `only a person can ${request.say.replace("_", " ")} in a conversation: agent ${own} is inside it`;
	}
}

function belowRefusal(what: "stop" | "pause" | "continue", agent: AgentId, own: AgentId): string | undefined {
	if (agent !== own && isWithin(agent, own)) return undefined;
	return `inside a run an agent can ${what} only agents below it: ${own} can ${what} ${own}.1, but not ${agent}`;
}

function sendRefusal(agent: AgentId, own: AgentId): string | undefined {
	if (agent === own) return `agent ${own} cannot send a message to itself`;
	const parent = parentOf(own);
	const isNear = isWithin(agent, own) || agent === parent || (parent !== undefined && parentOf(agent) === parent);
	if (isNear) return undefined;
	return `inside a run an agent can send messages only to its parent, its siblings and agents below it: ${own} cannot send to ${agent}`;
}

function readingRefusal(agent: AgentId, own: AgentId): string | undefined {
	if (isWithin(agent, own)) return undefined;
	return `inside a run an agent can read only itself and agents below it: ${own} cannot read ${agent}`;
}
