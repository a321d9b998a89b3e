/** Sends messages to agents: what they do next, as their conversations decide it, and that they may exit. */

import { defined } from "../core/defined.ts";
import { type AgentId, ROOT } from "../core/model/agent.ts";
import { callsIn, type ToolUseBlock } from "../core/model/message.ts";
import type { Reply } from "../wire/agent-messages.ts";
import type { RepliesAwaitingSnapshot } from "./agents/replies-awaiting-snapshot.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import type { Decided, Replies } from "./conversations/replies.ts";
import type { CallEnd, DraftMessage, Effect } from "./decide/effect.ts";
import type { CommandPermission } from "./permissions/command-permission.ts";
import type { RunCore } from "./run/run-core.ts";
import type { Worktrees } from "./worktrees/worktrees.ts";

interface OutboxParts {
	readonly answers: RepliesAwaitingSnapshot;
	readonly permission: CommandPermission;
	readonly calls: ModelCalls;
	readonly worktrees: Worktrees;
}

export class Outbox {
	private readonly core: RunCore;
	private readonly parts: OutboxParts;

	constructor(core: RunCore, parts: OutboxParts) {
		this.core = core;
		this.parts = parts;
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
	end({ agent, isGone }: Extract<Effect, { do: "end" }>): void {
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
