/**
 * How much of what the commands of an agent ask for is done: plans, questions, messages and pauses, which go into the run's record, and copies
 * of that. An agent that asks on and on would fill the disk, and take everyone's memory or time. It is refused until it has been quiet for a
 * while; other agents are not.
 */
import type { AgentId } from "../../core/model/agent.ts";
import { EventAllowance } from "../run/journal.ts";
import type { WatcherRequest } from "./client.ts";

const BURST = 200;
const CHARS_OF_ONE = 4_000; // what is longer counts as several
const COPIED_OF_ONE = 4 * 1024 * 1024; // bytes
const MOST_OF_COPY = 20; // so that each record can be read

export class RequestAllowances {
	private readonly now: () => number;
	private readonly ofAgents = new Map<AgentId, EventAllowance>();

	constructor(now: () => number) {
		this.now = now;
	}

	/** Why the request is not taken; undefined when it is. `copied`: the bytes of what is to be copied. */
	refusal(request: WatcherRequest, copied: () => number = () => 0): string | undefined {
		const { by } = request;
		const chars = by === null ? undefined : recordedChars(request, copied);
		if (by === null || chars === undefined) return undefined;
		const allowance = this.ofAgents.get(by) ?? new EventAllowance(BURST);
		this.ofAgents.set(by, allowance);
		for (let left = chars; left >= 0; left -= CHARS_OF_ONE)
			if (allowance.take(this.now()) === undefined)
				return `the commands of agent ${by} ask for too much in a short time: at most ${BURST} requests at once, then one per second; wait, then ask again`;
		return undefined;
	}
}

/** How much it may leave in the record, or take of it; undefined: nothing. */
function recordedChars(request: WatcherRequest, copied: () => number): number | undefined {
	switch (request.say) {
		case "copy_record":
			return Math.min(copied() / COPIED_OF_ONE, MOST_OF_COPY - 1) * CHARS_OF_ONE;
		case "todo":
			return request.change.do === "list" ? undefined : 0;
		case "question":
			return request.text.length + (request.why?.length ?? 0);
		case "run_outside":
			return request.command.length + (request.why?.length ?? 0);
		case "send":
			return request.text.length;
		case "pause":
		case "continue":
			return 0;
		default:
			return undefined;
	}
}
