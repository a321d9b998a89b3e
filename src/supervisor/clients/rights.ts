/** What a client may do that has not joined: proven by where its process is, never claimed. */
import { type AgentId, isWithin, parentOf } from "../../core/model/agent.ts";
import type { Proof } from "../../wire/hello.ts";
import type { FromWatcher, TalkRequest } from "../../wire/watcher-messages.ts";

export type Rights =
	| { readonly is: "person" }
	/** Its process is in a command of that agent. */
	| { readonly is: "agent"; readonly agent: AgentId };

/** The reason why the client may not do that to the agent; undefined when it may. */
export function belowRefusal(rights: Rights, what: "stop" | "pause" | "continue", agent: AgentId): string | undefined {
	if (rights.is === "person") return undefined;
	if (agent !== rights.agent && isWithin(agent, rights.agent)) return undefined;
	return `inside a run an agent can ${what} only agents below it: ${rights.agent} can ${what} ${rights.agent}.1, but not ${agent}`;
}

/** The reason why the client may not do what is a person's alone; undefined when it may. */
export function personRefusal(rights: Rights, what: TalkRequest["say"] | "talk"): string | undefined {
	if (rights.is === "person") return undefined;
	if (what === "name") return `only a person can name a run: agent ${rights.agent} is inside it`;
	return `only a person can ${what.replace("_", " ")} in a conversation: agent ${rights.agent} is inside it`;
}

/** The reason why the client may not change a plan; undefined when it is in a command of an agent. */
export function agentRefusal(rights: Rights): string | undefined {
	if (rights.is === "agent") return undefined;
	return "only an agent itself can change its plan, from its commands; to see it: agent show";
}

/** The reason why the client may not ask a person; undefined when it is in a command of an agent. */
function questionRefusal(rights: Rights): string | undefined {
	return rights.is === "agent" ? undefined : "only an agent can ask a person, from its commands; see agent questions";
}

/** The reason why the client may not have a copy of what the record has of that agent; undefined when it may. */
function recordRefusal(rights: Rights, agent: AgentId): string | undefined {
	return rights.is === "person" ? "the files of the run can be read directly" : readingRefusal(rights, agent);
}

/** The reason why the client may not see what that agent says; undefined when it may. */
function readingRefusal(rights: Rights, agent: AgentId): string | undefined {
	if (rights.is === "person" || isWithin(agent, rights.agent)) return undefined;
	return `inside a run an agent can read only itself and agents below it: ${rights.agent} cannot read ${agent}`;
}

/** The reason why the client may not answer what an agent has asked a person; undefined when it is one. */
function answerRefusal(rights: Rights): string | undefined {
	if (rights.is === "person") return undefined;
	return `only a person can answer questions: agent ${rights.agent} is inside this run`;
}

/** The reason why the client may not send that agent a message; undefined when it may. */
export function sendRefusal(rights: Rights, agent: AgentId): string | undefined {
	if (rights.is === "person") return undefined;
	const { agent: own } = rights;
	if (agent === own) return `agent ${own} cannot send a message to itself`;
	const parent = parentOf(own);
	const isNear = isWithin(agent, own) || agent === parent || (parent !== undefined && parentOf(agent) === parent);
	if (isNear) return undefined;
	return `inside a run an agent can send messages only to its parent, its siblings and agents below it: ${own} cannot send to ${agent}`;
}

/** The reason why the client may not ask for that; undefined when it may. */
export function requestRefusal(message: Exclude<FromWatcher, Proof>, rights: Rights): string | undefined {
	switch (message.say) {
		case "stop_agent":
			return belowRefusal(rights, "stop", message.agent);
		case "pause":
		case "continue":
			return belowRefusal(rights, message.say, message.agent);
		case "send":
			return sendRefusal(rights, message.agent);
		case "interrupt":
		case "withdraw":
		case "close":
		case "hang_up":
		case "name":
		case "change":
		case "compact":
		case "aside":
		case "context":
			return personRefusal(rights, message.say);
		case "todo":
			return agentRefusal(rights);
		case "question":
		case "run_outside":
		case "outside_ready":
			return questionRefusal(rights);
		case "copy_record":
			return recordRefusal(rights, message.agent);
		case "answer":
			return answerRefusal(rights);
		case "watch":
			return message.talks ? personRefusal(rights, "talk") : undefined;
		case "focus":
			return message.agent === null ? undefined : readingRefusal(rights, message.agent);
	}
}
