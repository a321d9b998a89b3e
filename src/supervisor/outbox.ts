/** Sends messages to agents, completed with the text of a call under way, and confirms that an agent may exit. */

import { defined } from "../core/defined.ts";
import { type AgentId, ROOT } from "../core/model/agent.ts";
import type { ModelCalls } from "./calls/model-calls.ts";
import type { DraftMessage, Effect } from "./decide/effect.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import type { Machine } from "./processes/machine.ts";
import type { Journal } from "./record/journal.ts";
import type { RepliesAwaitingSnapshot } from "./replies-awaiting-snapshot.ts";
import type { Worktrees } from "./worktrees/worktrees.ts";

interface OutboxDeps {
	answers: Pick<RepliesAwaitingSnapshot, "send">;
	journal: Pick<Journal, "isBroken">;
	calls: Pick<ModelCalls, "partialText">;
	machine: Pick<Machine, "end">;
	keepsBackground: boolean;
	stops: () => SupervisorState["stops"];
	worktrees: Pick<Worktrees, "settle" | "lineOfStopped">;
}

export class Outbox {
	private readonly deps: OutboxDeps;

	constructor(deps: OutboxDeps) {
		this.deps = deps;
	}

	tell(agent: AgentId, message: DraftMessage): void {
		const { journal, answers, calls, stops } = this.deps;
		// What could not be recorded must not look done: the stop that follows says why.
		const isStopping = stops().has(agent);
		if (journal.isBroken && !isStopping && (message.say === "answer" || message.say === "finished")) return;
		const hasPartial = message.say === "stop" || message.say === "ask_failed" || message.say === "ask_refused";
		answers.send(agent, hasPartial ? { ...message, partial: calls.partialText(agent) } : message);
	}

	/**
	 * Ends what an agent has left, then confirms its `finish`. The agent waits for that: should the supervisor die meanwhile,
	 * the agent ends its own. One that was stopped does not wait: its time is short, and the end of the stop looks again. The worktree of
	 * the root is looked at when its run ends.
	 */
	end({ agent, isGone }: Extract<Effect, { do: "end" }>): void {
		const { machine, keepsBackground, stops, worktrees } = this.deps;
		const isSpared = !isGone && keepsBackground && !stops().has(agent);
		const endedAgent = isSpared ? Promise.resolve() : machine.end(agent, { includesAgent: isGone, isHurry: false });
		const settle = () => worktrees.settle(agent).catch(() => worktrees.lineOfStopped(agent)); // as when git has gone meanwhile
		const settled = endedAgent.then(() => (agent === ROOT ? undefined : settle()));
		if (isGone) return;
		const finished = (notice?: string) => this.tell(agent, { say: "finished", ...defined({ notice }) });
		if (!stops().has(agent)) void settled.then(finished);
		else finished(agent === ROOT ? undefined : worktrees.lineOfStopped(agent));
	}
}
