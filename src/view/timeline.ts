/** What one agent did over time, and what was done to it: waits for a slot, turns, commands, pauses, messages. All times are milliseconds since the epoch. Pure. */

import type { CommandEnd } from "../core/command.ts";
import type { AgentId } from "../core/model/agent.ts";
import type { Sender } from "../core/model/told-message.ts";
import type { Usage } from "../core/model/usage.ts";

export interface Interval {
	readonly from: number;
	/** Never before `from`, though the system's time may have been set back meanwhile. */
	readonly to: number;
}

/** How a call to the model was over. `cut_off`: its agent ended first. */
export type TurnEnd =
	| { readonly by: "answer"; readonly stopReason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "failure"; readonly reason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cancelled"; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cut_off" };

/** `from` to `to`: the call broke, and was made again after so long. */
export interface RetrySpan extends Interval {
	readonly attempt: number;
	readonly reason: string;
}

export interface TurnSpan extends Interval {
	readonly turn: number;
	readonly purpose?: "compaction" | undefined;
	readonly retries: readonly RetrySpan[];
	/** Undefined while the call is under way. */
	readonly end: TurnEnd | undefined;
}

export interface CommandSpan extends Interval {
	readonly command: number;
	readonly toolUseId: string | undefined;
	/** In one line, cut to 500 characters. */
	readonly text: string;
	/** Path of its output below the agent's directory. */
	readonly log: string;
	/** When it had living child agents. */
	readonly waits: readonly Interval[];
	/** Undefined while it runs, and when its agent ended first. */
	readonly end: CommandEnd | undefined;
	readonly outputBytes: number | undefined;
	/** The child agents that it started, or took up again. */
	readonly children: readonly AgentId[];
}

/** The agent got no call, whatever it did; `isHard`: its commands were frozen, too. */
export interface PauseSpan extends Interval {
	readonly isHard: boolean;
}

/** From when the message was sent until the agent got it. */
export interface MessageSpan extends Interval {
	/** Who has sent it. */
	readonly sender: Sender;
	readonly text: string;
	/** False while the message waits, also for an agent that has ended. */
	readonly isDelivered: boolean;
}

export interface AgentTimeline {
	readonly queued: readonly Interval[];
	readonly turns: readonly TurnSpan[];
	readonly commands: readonly CommandSpan[];
	/** One behind the other. */
	readonly pauses: readonly PauseSpan[];
	/** In the order in which they were sent. */
	readonly messages: readonly MessageSpan[];
}
