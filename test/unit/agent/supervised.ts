/** The supervisor's side of an agent's loop in a test: its real conversation makes the requests and says what the agent does next. */
import type { LoopParts } from "../../../src/agent/loop.ts";
import type { SupervisorClient, UserContent } from "../../../src/agent/supervisor-client.ts";
import { defined } from "../../../src/core/defined.ts";
import type { Ending } from "../../../src/core/model/agent.ts";
import { type AssistantBlock, callsIn, type Message, type ToolUseBlock } from "../../../src/core/model/message.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import type { CompactionNote } from "../../../src/core/schemas/transcript.ts";
import { Conversation } from "../../../src/supervisor/conversations/conversation.ts";
import type { CallOutcome, Decided, ReplyFacts } from "../../../src/supervisor/conversations/replies.ts";
import type { FromAgent, Over, Reply, Summary } from "../../../src/wire/agent-messages.ts";

export const text = (words: string): AssistantBlock => ({ type: "text", text: words });
export const call = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "bash", input: { command: "ls" } });
export const answer = (content: AssistantBlock[], stopReason = "end_turn"): CallOutcome => ({
	...{ say: "answer", content, stopReason, usage: NO_USAGE },
});

/** Runs the calls that are not refused. */
export function fakeCalls(onRun: (ids: string[]) => void = () => {}): LoopParts["calls"] {
	return {
		run: async ({ answer: given, refused = {}, waits }) => {
			const all = callsIn(given?.content);
			if (waits || all.length === 0) return { content: [] };
			const ids = all.map(({ id }) => id).filter((id) => refused[id] === undefined);
			if (ids.length > 0) onRun(ids);
			return {
				content: all.map(({ id }) => {
					const reason = refused[id];
					const content = reason === undefined ? `out of ${id}` : `Not run: ${reason}`;
					return { type: "tool_result", tool_use_id: id, content, ...(reason !== undefined && { is_error: true }) };
				}),
				commands: all.map(({ id }) => ({ command: 1, toolUseId: id, end: { by: "exit", code: 0 }, outputBytes: 3 })),
			};
		},
	};
}

export const STOP: Ending = { by: "stopped", reason: "Ctrl-C", signal: 2 };

export interface Asked {
	kind: AskKind;
	request: ModelRequest;
}

export interface Supervised {
	readonly client: LoopParts["client"] &
		Pick<SupervisorClient, "askForSummary" | "tell"> & { stopped: Ending | undefined };
	readonly conversation: Conversation;
	readonly asked: Asked[];
	/** User messages that were recorded. */
	readonly recorded: UserContent[];
	readonly notes: CompactionNote[];
}

export interface SupervisedOptions extends Partial<ReplyFacts> {
	system?: string;
	/** How the model answers; `stop`: the agent is stopped meanwhile. */
	answer: (kind: AskKind, request: ModelRequest) => CallOutcome | "stop";
	/** What the call under way had said when the agent was stopped. */
	partial?: string;
	/** The agent waits; the next reply to it. */
	whileWaiting?: (reason: string | undefined, replies: Conversation["replies"]) => Reply | Over;
}

export function supervised(options: SupervisedOptions): Supervised {
	const { system = "be brief", answer, partial = "", whileWaiting, ...facts } = options;
	const conversation = new Conversation(system, { isConversation: false, mayAnswerNothing: false, ...facts });
	const { replies } = conversation;
	let reason: string | undefined;
	const given = (decided: Decided) => {
		if (decided.is === "wait") reason = decided.reason;
		return decided.message;
	};
	const exchange = async (
		ask: Pick<Extract<FromAgent, { say: "ask" }>, "isSummary" | "isStuck">,
		messages: readonly Message[],
	): Promise<Reply | Over | Summary> => {
		if (run.client.stopped !== undefined) return { say: "over", ending: run.client.stopped };
		const { kind, decided } = replies.asked(ask);
		if (decided !== undefined) return given(decided);
		const request = conversation.requestOf(kind, structuredClone([...messages]));
		if (request === undefined) return { say: "summary", is: "none" };
		run.asked.push({ kind, request });
		const outcome = answer(kind, request);
		if (outcome === "stop") {
			run.client.stopped = STOP;
			return { say: "over", ending: STOP, ...defined({ text: replies.textSoFar(partial) || undefined }) };
		}
		if (outcome.say !== "ask_refused") conversation.heard(kind, modelOutcome(outcome));
		return given(await replies.after(outcome));
	};
	const run: Supervised = {
		...{ conversation, asked: [], recorded: [], notes: [] },
		client: {
			stopped: undefined,
			ask: async (messages, isReady) => (await exchange(isReady ? {} : { isStuck: true }, messages)) as Reply | Over,
			askForSummary: async (messages) => {
				const summary = await exchange({ isSummary: true }, messages);
				return summary.say === "summary" ? summary : undefined;
			},
			next: async () => whileWaiting?.(reason, replies) ?? { say: "over", ending: { by: "answer" } },
			record: (content) => void run.recorded.push(structuredClone(content)),
			tell: (message) => {
				if (message.say === "record" && message.entry.role === "note") run.notes.push(message.entry as CompactionNote);
			},
		},
	};
	return run;
}

function modelOutcome(outcome: Exclude<CallOutcome, { say: "ask_refused" }>): ModelOutcome {
	if (outcome.say === "answer") {
		const { content, stopReason, usage } = structuredClone(outcome);
		return { is: "reply", model: "m", content, stopReason, usage };
	}
	const { reason, exitCode, contextFull, refusesThinking } = outcome;
	return { is: "failure", reason, exitCode, usage: NO_USAGE, ...defined({ contextFull, refusesThinking }) };
}
