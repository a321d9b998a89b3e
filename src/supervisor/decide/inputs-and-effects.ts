/** The inputs of the supervisor's decisions: everything that can happen to a run. */

import { type CommandEnd, type CommandStart, commandLog } from "../../core/bash-call.ts";
import type { Effort } from "../../core/effort.ts";
import type { LimitReached, Limits } from "../../core/limits/limits.ts";
import type { Shortage } from "../../core/limits/shortage.ts";
import type { AgentId, Ending } from "../../core/model/agent.ts";
import type { AssistantBlock } from "../../core/model/message.ts";
import type { Sender } from "../../core/model/message-marks.ts";
import type { AskKind, ContextFull, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";
import type { RefusalCode } from "../../core/run/admission.ts";
import type { Answer, Asked } from "../../core/run/questions.ts";
import type { WaitingMessage } from "../../core/schemas/run-state.ts";
import type { TodoItem } from "../../core/todo.ts";
import type { ProcessRef } from "../../processes/table/process-table.ts";
import type { FromAgent, Join, ToAgent } from "../../wire/agent-messages.ts";
import type { Reservation } from "./budget.ts";

/** The place of a joining process in the tree, as the kernel shows it. The pid is the one that the supervisor sees. */
export type ResolvedParent =
	| ({ is: "root" } & ProcessRef)
	| ({ is: "child"; parent: AgentId; command?: number } & ProcessRef)
	| { is: "unknown"; reason: string };

export type Input =
	| { is: "joined"; connection: number; resolved: ResolvedParent; join: Join; taskKey?: string; sandbox?: string }
	| { is: "asked"; agent: AgentId; request: ModelRequest; kind: AskKind }
	| { is: "answered"; agent: AgentId; outcome: ModelOutcome; costUsd: number | null }
	/** The agent's call failed and is retried. `attempt`: 1 for the first retry. */
	| {
			is: "retrying";
			agent: AgentId;
			turn: number;
			attempt: number;
			waitMs: number;
			reason: string;
			usage: Usage;
			costUsd: number | null;
	  }
	/**
	 * The agent's call was cancelled and has been charged; the agent may have ended before. `kept`: what it had said, which is
	 * recorded, of a call that was interrupted.
	 */
	| {
			is: "cancelled";
			agent: AgentId;
			turn: number;
			usage: Usage;
			costUsd: number | null;
			kept?: readonly AssistantBlock[];
	  }
	/** The service asked for fewer calls, so all calls of the run are slowed. */
	| { is: "slowed"; reason: string; waitMs: number; maxCalls: number }
	| ({ is: "command_started"; agent: AgentId } & CommandStart)
	| {
			is: "command_ended";
			agent: AgentId;
			command: number;
			end: CommandEnd;
			outputBytes: number;
			leftRunning: readonly { pid: number; name: string }[];
	  }
	| { is: "repeats"; agent: AgentId; command: number; times: number }
	/** The agent sent a line of its transcript. */
	| { is: "recorded"; agent: AgentId; entry: Extract<FromAgent, { say: "record" }>["entry"] }
	| { is: "finished"; agent: AgentId; ending: Ending }
	/** Most of the time of the agent, or of one above it, is over. `reason`: how much, in words. */
	| { is: "time_noticed"; agent: AgentId; reason: string }
	/** The time of the agent, or of one above it, is nearly over: what is left is for its report. */
	| { is: "time_short"; agent: AgentId; reached: LimitReached; holder: AgentId }
	/** The root of a conversation waits for a message. `reason`: why it gave no answer, if it did not. */
	| { is: "listens"; agent: AgentId; reason?: string }
	/** A person ends what the agent does. */
	| { is: "interrupt_asked"; agent: AgentId }
	/** A person takes the newest of their messages back that wait for the agent. */
	| { is: "withdraw_asked"; agent: AgentId }
	/** A person changes what the agent works with; what is absent stays. `windowTokens`: of the new model, where it is known. */
	| { is: "change_asked"; agent: AgentId; model?: string; effort?: Effort; limits?: Limits; windowTokens?: number }
	/** A person asks for a summary of the older rounds of the agent, which listens. */
	| { is: "compact_asked"; agent: AgentId }
	/** A question of a person beside the conversation, bounded as its budgets demand. */
	| { is: "aside_asked"; agent: AgentId; request: ModelRequest; reservation?: Reservation }
	/** It was answered, or called off. `reservation`: what was set aside for it. */
	| { is: "aside_ended"; agent: AgentId; usage: Usage; costUsd: number | null; reservation?: Reservation }
	/** A person is done with a conversation whose root listens. */
	| { is: "close_asked"; agent: AgentId }
	/**
	 * The agent's connection closed before it had finished. `ending`: the cause that was found. `cameFirst`: the agent had not
	 * been told to stop when the connection closed, though it may have been by the time that the cause is known.
	 */
	| { is: "gone"; agent: AgentId; ending: Ending; cameFirst?: boolean }
	| { is: "stop_asked"; agent: AgentId; ending: Ending }
	/** Somebody asks for it who may: an agent, or a person (null). */
	| { is: "pause_asked"; agent: AgentId; from: Sender; isHard: boolean }
	| { is: "continue_asked"; agent: AgentId; from: Sender }
	/** A message for the agent, of another one or of a person (null). */
	| { is: "message"; agent: AgentId; from: Sender; text: string }
	/** The agent has changed its plan. */
	| { is: "todo_changed"; agent: AgentId; items: readonly TodoItem[] }
	/** The agent asks a person, and waits. */
	| { is: "question_asked"; agent: AgentId; question: number; what: Asked; why?: string }
	/** A person answers the agent's question, which is open. */
	| { is: "question_answered"; agent: AgentId; question: number; answer: Answer }
	/** The agent cannot ask: nobody can be asked. */
	| { is: "question_refused"; agent: AgentId; what: Asked; why?: string }
	/** Nobody waits for the answer any more. */
	| { is: "question_withdrawn"; agent: AgentId; question: number; reason: string }
	/** An agent asks a person, and its commands compute all the same, or do so no longer. */
	| { is: "asker_works"; agent: AgentId; works: boolean }
	/** All shortages of the machine now. */
	| { is: "shortages"; shortages: readonly Shortage[] };

/** A process that asks to join. */
export type Joining = Extract<Input, { is: "joined" }>;

/** The input for a message from an agent. An ask becomes one with the request that is made of it. */
export function inputFrom(agent: AgentId, message: Exclude<FromAgent, { say: "join" | "ask" | "history" }>): Input {
	switch (message.say) {
		case "record":
			return { is: "recorded", agent, entry: message.entry };
		case "command_started": {
			const { say: is, ...started } = message;
			return { is, agent, ...started, log: commandLog(started.command) };
		}
		case "command_ended": {
			const { say: is, ...ended } = message;
			return { is, agent, ...ended };
		}
		case "repeats":
			return { is: "repeats", agent, command: message.command, times: message.times };
		case "finish":
			return { is: "finished", agent, ending: message.ending };
	}
}

/** How an agent's call ended. `conversations/replies.ts` makes of it what the agent is told to do next. */
export type CallEnd =
	| {
			say: "answer";
			content: AssistantBlock[];
			stopReason: string;
			stopWords?: string;
			usage: Usage;
			/** Notes for the model, beside the results of its calls. */
			notes?: string[];
			/** A file whose bytes are the answer. */
			output?: string;
			/** The last call asked for a tool in place of a report: it may be made once more. */
			reportsAgain?: true;
			/** A message waits for the agent: an answer without a call is no end. */
			isHeldBack?: true;
	  }
	| {
			say: "ask_failed";
			reason: string;
			exitCode: 1 | 75 | 77;
			/** A file whose bytes are the text so far. */
			output?: string;
			/** The prompt is longer than the model's context. */
			contextFull?: ContextFull;
			/** The service refuses the thinking blocks of the request: without them the same request may be answered. */
			refusesThinking?: true;
	  }
	/** No more turns: one last call may be made. */
	| { say: "ask_refused"; limit: string; reason: string };

/** What the agent, which waits for a person, does now. */
export type LetGo = { say: "go_on" | "compact" | "close" };

/** What an agent is told; of the text of a call under way the outbox adds what there is. */
export type DraftMessage =
	| CallEnd
	| LetGo
	| { say: "stop"; ending: Ending }
	| Exclude<ToAgent, { say: "reply" | "over" | "summary" | "stop" }>;

/** How an agent that is resumed had ended. */
export interface Was {
	readonly was: Ending;
	/** It had answered, or listened: its end has interrupted nothing. */
	readonly isAtRest?: true;
}

/** What the supervisor has to do as the result of a decision. */
export type Effect =
	/** `before`: of an agent that is resumed. */
	| { do: "admit"; connection: number; agent: AgentId; join: Join; before?: Was }
	/** `which`: the start that is refused. */
	| { do: "refuse"; connection: number; code: RefusalCode | "unknown" | "usage"; reason: string; which?: string }
	/** Send the message; the text so far of a call under way is added where the message has a place for it. */
	| { do: "tell"; agent: AgentId; message: DraftMessage }
	/** `said`: as in ModelCall. */
	| { do: "call"; agent: AgentId; request: ModelRequest; kind: AskKind; turn: number; said?: readonly string[] }
	/** Record the messages that the agent's next call carries, and give them to the agent. */
	| { do: "deliver"; agent: AgentId; messages: readonly WaitingMessage[] }
	/** The time of the agent's own limit stands still, or goes on. */
	| { do: "hold_time"; agent: AgentId; isHeld: boolean }
	/** Freeze the commands of these agents, or let them go on. */
	| { do: "freeze" | "thaw"; agents: readonly AgentId[] }
	/** `keeps`: what the call has said so far is recorded as an answer that was interrupted. */
	| { do: "cancel_call"; agent: AgentId; keeps?: true }
	/** Let what was changed of the agent hold for it. */
	| { do: "change"; agent: AgentId; isOtherModel?: true }
	/** Ask the agent's model a question beside its conversation. */
	| { do: "call_aside"; agent: AgentId; request: ModelRequest; reservation?: Reservation }
	/** End the processes left below an ended agent. `isGone`: its own process, too, as its connection closed; else tell it when done. */
	| { do: "end"; agent: AgentId; isGone: boolean }
	/** End the agent, which was told to stop, and all below it once the grace period is over. */
	| { do: "end_after_grace"; agent: AgentId };

export type InputOf<Is extends Input["is"]> = Extract<Input, { is: Is }>;
export type EffectOf<Do extends Effect["do"]> = Extract<Effect, { do: Do }>;
