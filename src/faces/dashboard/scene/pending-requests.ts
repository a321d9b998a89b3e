/** What the person has asked the run for and has no answer to yet, and what is said of it. Pure. */

import { type AgentId, ROOT } from "../../../core/model/agent.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { counted } from "../../../text/numbers.ts";
import { describeAnswer as answered } from "../../../view/words/question.ts";
import { describeArrival } from "../../../wire/open-requests.ts";
import type { ActRequest, AnswerRequest, ToWatcher } from "../../../wire/watcher-messages.ts";

export interface Ask {
	readonly message: ActRequest | AnswerRequest;
	/** The agent as people know it, or the question. */
	readonly about: string;
	/** How many agents lived there when it was asked. */
	readonly agents: number;
}

export interface StopAsk extends Ask {
	readonly message: Extract<ActRequest, { say: "stop_agent" }>;
}

export interface PendingRequests {
	/** Each is answered when it is done, and its answer names the agent. */
	readonly stops: readonly StopAsk[];
	/** The first is under way. The next is asked when that has its answer, since a refusal does not say what it refuses. */
	readonly others: readonly Ask[];
}

export const NO_PENDING_REQUESTS: PendingRequests = { stops: [], others: [] };

const ANSWERS = ["stopped", "paused", "continued", "sent", "refused", "answer_taken"] as const;
export type Answer = Extract<ToWatcher, { say: (typeof ANSWERS)[number] }>;

export function isAnswer(message: ToWatcher): message is Answer {
	return ANSWERS.some((say) => say === message.say);
}

/** What is under way: `stopping 1.3 linker: 9 of 13 agents still alive`; undefined when nothing is. */
export function describePendingRequests({ stops, others }: PendingRequests, run: RunState): string | undefined {
	const [first] = others;
	const all = [...stops.map((ask) => describeStop(ask, run)), ...(first === undefined ? [] : [describeOther(first)])];
	return all.length === 0 ? undefined : all.join("; ");
}

function describeStop({ message, about, agents }: StopAsk, run: RunState): string {
	const verb = message.isHurry ? "killing" : "stopping";
	const alive = branchOf(run.agents, message.agent).living;
	if (alive === 0) return `${verb} ${about}: agents have ended, waiting for their processes`;
	return agents <= 1 ? `${verb} ${about}: still alive` : `${verb} ${about}: ${alive} of ${agents} agents still alive`;
}

function describeOther({ message, about }: Ask): string {
	switch (message.say) {
		case "pause":
			return `pausing ${about} …`;
		case "continue":
			return `continuing ${about} …`;
		case "send":
			return `sending to ${about} …`;
		case "answer":
			return `answering ${about} …`;
		case "stop_agent":
			return "";
	}
}

/** What an answer says, and whether it says what was wished. */
export function describeAnswer(ask: Ask, answer: Answer): { readonly text: string; readonly isGood: boolean } {
	switch (answer.say) {
		case "stopped":
			return describeStopped(ask, answer.survivors);
		case "paused":
			return { text: describePaused(ask, answer), isGood: true };
		case "continued":
			return answer.agents === 0
				? { text: `${ask.about} was not paused`, isGood: false }
				: { text: `continued ${branch(ask, answer.agents)}`, isGood: true };
		case "sent":
			return { text: `sent to ${ask.about}: ${describeArrival(answer.arrives)}`, isGood: true };
		case "refused":
			return { text: answer.reason, isGood: false };
		case "answer_taken":
			return { text: `answered ${ask.about} of agent ${answer.agent}: ${answered(answer.answer)}`, isGood: true };
	}
}

function describeStopped(
	{ message, about, agents }: Ask,
	survivors: readonly number[],
): ReturnType<typeof describeAnswer> {
	const verb = message.say === "stop_agent" && message.isHurry ? "killed" : "stopped";
	if (survivors.length === 0) return { text: `${verb} ${branch({ message, about, agents }, agents)}`, isGood: true };
	const text = `not ${verb}: ${about}; could not stop these processes: ${survivors.join(", ")}`;
	return { text, isGood: false };
}

function describePaused(ask: Ask, { agents, processes }: Extract<Answer, { say: "paused" }>): string {
	const isHard = ask.message.say === "pause" && ask.message.isHard;
	const is = isOne(ask, agents) ? "is" : "are";
	const frozen = isHard ? `, ${processes} ${processes === 1 ? "process" : "processes"} frozen` : "";
	return `${branch(ask, agents)} ${is} paused${frozen}; p to continue`;
}

function isOne({ message }: Ask, agents: number): boolean {
	return agents === 1 || ("agent" in message && message.agent === ROOT);
}

/** `1.3 linker and 12 agents below` */
function branch({ message, about }: Ask, agents: number): string {
	return "agent" in message ? describeBranch({ agent: message.agent, about, below: agents - 1 }) : about;
}

export interface Branch {
	readonly agent: AgentId;
	readonly about: string;
	/** How many living agents are below it. */
	readonly below: number;
}

/** `1.3 linker and 12 agents below`, `1.3 linker`, `the run (61 agents)` */
export function describeBranch({ agent, about, below }: Branch): string {
	if (agent === ROOT) return `${about} (${counted(below + 1, "agent")})`;
	return below <= 0 ? about : `${about} and ${counted(below, "agent")} below`;
}
