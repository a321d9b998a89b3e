/**
 * How much of what the commands of an agent ask for is taken into the run's record: plans, questions, messages and pauses. An agent that
 * asks on and on would fill the disk, and everyone's memory with it. It is refused until it has been quiet for a while; the others are not.
 */
import type { AgentId } from "../../core/agent.ts";
import { EventAllowance } from "../record/event-allowance.ts";
import type { WatcherRequest } from "./client-listener.ts";

const BURST = 200;
const CHARS_OF_ONE = 4_000; // what is longer counts as several

export class RequestAllowances {
	private readonly now: () => number;
	private readonly ofAgents = new Map<AgentId, EventAllowance>();

	constructor(now: () => number) {
		this.now = now;
	}

	/** Why the request is not taken; undefined when it is. */
	refusal(request: WatcherRequest): string | undefined {
		const asked = recorded(request);
		if (asked === undefined) return undefined;
		const { agent, chars } = asked;
		const allowance = this.ofAgents.get(agent) ?? new EventAllowance(BURST);
		this.ofAgents.set(agent, allowance);
		for (let left = chars; left >= 0; left -= CHARS_OF_ONE)
			if (allowance.take(this.now()) === undefined)
				return `the commands of agent ${agent} ask for too much in a short time: ${BURST} requests at once, and one a second from then on; wait, then ask again`;
		return undefined;
	}
}

/** Whose request it is, and how much it may leave in the record; undefined: nothing, or it is a person's. */
function recorded(request: WatcherRequest): { agent: AgentId; chars: number } | undefined {
	switch (request.say) {
		case "todo":
			return request.change.do === "list" ? undefined : { agent: request.agent, chars: 0 };
		case "question":
			return { agent: request.agent, chars: request.text.length + (request.why?.length ?? 0) };
		case "run_outside":
			return { agent: request.agent, chars: request.command.length + (request.why?.length ?? 0) };
		case "send":
			return request.from === null ? undefined : { agent: request.from, chars: request.text.length };
		case "pause":
		case "continue":
			return request.from === null ? undefined : { agent: request.from, chars: 0 };
		default:
			return undefined;
	}
}
