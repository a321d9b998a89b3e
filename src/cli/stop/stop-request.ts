/** The conversation of a stop: the run's state is watched, the stop asked for, and only what the supervisor says of it counts as an answer. */
import { type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { EMPTY_RUN, livingAgents, livingWithin, type RunState, reduce } from "../../core/run/run-state.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { formatDuration } from "../../text/durations.ts";
import type { Conversation } from "../../wire/run-client.ts";
import type { FromWatcher, ToWatcher } from "../../wire/watcher-messages.ts";

export type StopAnswer =
	/** The run has no such agent. */
	| { readonly is: "unknown" }
	| { readonly is: "over"; readonly how: string }
	| { readonly is: "stopped"; readonly agents: number; readonly survivors: readonly number[] };

export interface StopWish {
	readonly agent: AgentId;
	readonly isKill: boolean;
	/** Called now and then while the stop goes on, with the agents that are still alive. */
	readonly onStopping?: (stoppingMs: number, alive: readonly AgentId[]) => void;
}

const FIRST_ANSWER_MS = 4_000; // it takes milliseconds, or a second where a storm of processes takes all processors
const SILENCE_MS = 10_000; // a stop itself is silent for 5.5 s at most, while agents have their grace (docs/guarantees.md)
const EXIT_MS = 3_000; // from the last event to the end of the process, which may still print the answer

export class StopRequest implements Conversation<StopAnswer> {
	readonly say: readonly FromWatcher[] = [{ say: "watch" }];
	private readonly wish: StopWish;
	private state: RunState | undefined;
	private agents = 0;
	private stoppingMs = 0;

	constructor(wish: StopWish) {
		this.wish = wish;
	}

	hear(message: ToWatcher, say: (more: FromWatcher) => void): StopAnswer | undefined {
		switch (message.say) {
			case "snapshot":
				return this.begin(message.state, message.within, say);
			case "event":
				this.state = reduce(this.state ?? EMPTY_RUN, message.event);
				return undefined;
			case "stopped":
				if (message.agent !== this.wish.agent) return undefined;
				return { is: "stopped", agents: this.agents, survivors: message.survivors };
		}
		return undefined;
	}

	patienceMs(): number {
		return this.state === undefined ? FIRST_ANSWER_MS : SILENCE_MS;
	}

	look(silentMs: number, passedMs: number): StopAnswer | undefined {
		if (this.state?.ended !== undefined) return silentMs >= EXIT_MS ? this.closed() : undefined;
		if (this.state === undefined) return undefined;
		this.stoppingMs += passedMs;
		this.wish.onStopping?.(this.stoppingMs, livingWithin(this.state, this.wish.agent));
		return undefined;
	}

	/** A supervisor tells the end of its run before it goes. */
	closed(): StopAnswer | undefined {
		const ended = this.state?.ended;
		return ended && { is: "stopped", agents: this.agents, survivors: ended.survivors };
	}

	/** `within`: all others are not shown here, and that they may not be stopped is the supervisor's to say. */
	private begin(state: RunState, within: AgentId = ROOT, say: (more: FromWatcher) => void): StopAnswer | undefined {
		const { agent, isKill } = this.wish;
		this.state = state;
		const found = state.agents[agent];
		if (agent !== ROOT && found === undefined && isWithin(agent, within)) return { is: "unknown" };
		if (agent !== ROOT && found !== undefined && isOver(found))
			return { is: "over", how: describeEnding(found.state.ending) };
		this.agents = livingAgents(state).filter((id) => isWithin(id, agent)).length;
		const reason = isKill ? "agent stop --now" : "agent stop";
		say({ say: "stop_agent", agent, reason, signal: isKill ? 9 : 15, isHurry: isKill });
		return undefined;
	}
}

// Commands have a grace of 3 s, and agents end within 5.5 s: only a person at a terminal wants to know before.
const FIRST_MS = { terminal: 1_500, other: 6_000 };
const EVERY_MS = 3_000;
const MOST_NAMED = 8;

/** Says who is still alive in a stop that takes long. The result gets how long it has taken, and gives each line to `say`. */
export function stopProgress(
	what: string,
	{ isTerminal, say }: { isTerminal: boolean; say: (line: string) => void },
): (stoppingMs: number, alive: readonly AgentId[]) => void {
	let nextMs = isTerminal ? FIRST_MS.terminal : FIRST_MS.other;
	return (stoppingMs, alive) => {
		if (stoppingMs < nextMs) return;
		nextMs = stoppingMs + EVERY_MS;
		say(`agent: stopping ${what} for ${formatDuration(stoppingMs)}; ${whoLives(alive)}`);
	};
}

/** Without agents their processes are what the stop still waits for. */
function whoLives(alive: readonly AgentId[]): string {
	if (alive.length === 0) return "all agents have ended, some of their processes are still alive";
	const more = alive.length > MOST_NAMED ? ` and ${alive.length - MOST_NAMED} more` : "";
	return `still alive: ${alive.slice(0, MOST_NAMED).join(", ")}${more}`;
}
