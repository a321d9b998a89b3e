/**
 * What agents say and what they are told. What they say is checked and recorded, and becomes an input of the run's decisions; what they are
 * told is what to do next, as their conversations decide it, and that they may exit.
 */

import { defined } from "../core/defined.ts";
import { type AgentId, ROOT } from "../core/model/agent.ts";
import { callsIn, type ToolUseBlock } from "../core/model/message.ts";
import type { FromAgent, Join, Reply } from "../wire/agent-messages.ts";
import type { RepliesAwaitingSnapshot } from "./agents/file-snapshots.ts";
import type { Worktrees } from "./agents/worktrees.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import type { ChatRequests } from "./chat/chat-requests.ts";
import type { Decided, Replies } from "./conversations/replies.ts";
import { NO_SUMMARY } from "./conversations/replies.ts";
import type { CallEnd, DraftMessage, EffectOf } from "./decide/inputs-and-effects.ts";
import { inputFrom } from "./decide/inputs-and-effects.ts";
import type { CommandPermission } from "./permissions/command-permission.ts";
import type { RunCore } from "./run/run-core.ts";
import type { Sandboxes } from "./sandboxes/sandboxes.ts";

interface ExchangeParts {
	readonly chatRequests: ChatRequests;
	readonly sandboxes: Sandboxes;
	readonly answers: RepliesAwaitingSnapshot;
	readonly permission: CommandPermission;
	readonly calls: ModelCalls;
	readonly worktrees: Worktrees;
}

export class AgentExchange {
	private readonly core: RunCore;
	private readonly parts: ExchangeParts;

	constructor(core: RunCore, parts: ExchangeParts) {
		this.core = core;
		this.parts = parts;
	}

	/** Gives what is wrong with a message that no agent of ours sends; then it has had no effect. */
	take(agent: AgentId, message: Exclude<FromAgent, Join>): string | undefined {
		const { registry, machine } = this.core;
		switch (message.say) {
			case "ask":
				return this.ask(agent, message);
			case "record":
				this.record(agent, message.entry);
				break;
			case "history":
				this.parts.chatRequests.takeHistory(agent, message.messages);
				return undefined;
			case "command_started": {
				registry.commandStarted(agent, message);
				this.parts.sandboxes.commandStarted(agent, message.command, registry.get(agent)?.file);
				const pid = machine.commandStarted(agent, message);
				this.core.dispatch(inputFrom(agent, { ...message, pid }));
				return undefined;
			}
			case "command_ended":
				registry.commandEnded(agent, message);
				break;
			case "finish":
				this.parts.permission.forget(agent);
				break;
			case "repeats":
				break;
		}
		this.core.dispatch(inputFrom(agent, message));
		return undefined;
	}

	private record(agent: AgentId, entry: Extract<FromAgent, { say: "record" }>["entry"]): void {
		const { journal, run, host } = this.core;
		const at = host.now();
		journal.message(
			agent,
			entry.role === "note" ? { ...entry, at, turn: run.agents[agent]?.turns ?? 0 } : { ...entry, at },
		);
	}

	private ask(agent: AgentId, message: Extract<FromAgent, { say: "ask" }>): string | undefined {
		const { permission } = this.parts;
		const conversation = this.core.conversations.get(agent);
		if (conversation === undefined || message.messages.at(-1)?.role !== "user")
			return "a request that does not end with a user message";
		permission.forget(agent);
		const { kind, decided } = conversation.replies.asked(message);
		const request = decided === undefined ? conversation.requestOf(kind, message.messages) : undefined;
		if (request !== undefined) this.core.dispatch({ is: "asked", agent, request, kind });
		else this.give(agent, decided ?? { is: "reply", message: NO_SUMMARY });
		return undefined;
	}

	tell(agent: AgentId, message: DraftMessage): void {
		const { answers, calls } = this.parts;
		const { journal, conversations, state } = this.core;
		// What could not be recorded must not look done: the stop that follows says why.
		const isBroken = journal.isBroken && !state.stops.has(agent);
		if (isBroken && (message.say === "answer" || message.say === "finished")) return;
		const replies = conversations.get(agent)?.replies;
		switch (message.say) {
			case "answer":
			case "ask_failed":
			case "ask_refused":
				return replies && this.replyTo(agent, message, replies);
			case "go_on":
				return replies && answers.send(agent, replies.goOn());
			case "compact":
				return replies && answers.send(agent, replies.compact());
			case "close":
				return answers.send(agent, { say: "over", ending: { by: "answer" } });
			case "stop": {
				const text = replies?.textSoFar(calls.partialText(agent)) || undefined;
				return answers.send(agent, { ...message, ...defined({ text }) });
			}
			case "interrupt":
				replies?.interrupt();
				return answers.send(agent, message);
			case "out_of_time":
				replies?.stopCommands(message.reason);
				return answers.send(agent, message);
			default:
				return answers.send(agent, message);
		}
	}

	/** What the agent does now. One that waits listens to a person from then on. */
	give(agent: AgentId, decided: Decided): void {
		const { answers, permission } = this.parts;
		const { message } = decided;
		if (decided.is === "wait") {
			answers.send(agent, decided.message);
			this.core.dispatch({ is: "listens", agent, ...defined({ reason: decided.reason }) });
		} else if (message.say === "reply" && message.answer !== undefined) {
			const { refused, unsure } = permission.ofCalls(agent, callsToRun(message));
			answers.send(agent, permitted(message, { refused, unsure: unsure.map(({ call }) => call) }));
			permission.ask(agent, unsure);
		} else answers.send(agent, message);
	}

	/** An answer that has to fit a schema is checked first, which takes a while. */
	private replyTo(agent: AgentId, outcome: CallEnd, replies: Replies): void {
		const partial = this.parts.calls.partialText(agent);
		const decided = replies.after(outcome.say === "answer" ? outcome : { ...outcome, partial });
		if (decided instanceof Promise) void decided.then((later) => this.give(agent, later));
		else this.give(agent, decided);
	}

	/**
	 * Ends what an agent has left, then confirms its `finish`. The agent waits for that: should the supervisor die meanwhile,
	 * the agent ends its own. One that was stopped does not wait: its time is short, and the end of the stop looks again. The worktree of
	 * the root is looked at when its run ends.
	 */
	end({ agent, isGone }: EffectOf<"end">): void {
		const { machine, settings, state } = this.core;
		const { worktrees } = this.parts;
		const isSpared = !isGone && settings.keepsBackground && !state.stops.has(agent);
		const endedAgent = isSpared ? Promise.resolve() : machine.end(agent, { includesAgent: isGone, isHurry: false });
		const settle = () => worktrees.settle(agent).catch(() => worktrees.lineOfStopped(agent)); // as when git has gone meanwhile
		const settled = endedAgent.then(() => (agent === ROOT ? undefined : settle()));
		if (isGone) return;
		const finished = (notice?: string) => this.tell(agent, { say: "finished", ...defined({ notice }) });
		if (!state.stops.has(agent)) void settled.then(finished);
		else finished(agent === ROOT ? undefined : worktrees.lineOfStopped(agent));
	}
}

function callsToRun({ answer, refused = {} }: Reply): ToolUseBlock[] {
	return callsIn(answer?.content).filter(({ id }) => !Object.hasOwn(refused, id));
}

function permitted(reply: Reply, { refused: more, unsure }: Required<Pick<Reply, "refused" | "unsure">>): Reply {
	const refused = { ...reply.refused, ...more };
	const none = Object.keys(refused).length === 0;
	return { ...reply, ...(!none && { refused }), ...(unsure.length > 0 && { unsure }) };
}
