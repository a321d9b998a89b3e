/** Questions beside a conversation: the agent says what it has so far, and its model answers that with the question, for the person alone. */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { textOf } from "../../core/model/message.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { addDollars, addUsage } from "../../core/model/usage.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import type { Aside, ModelCalls } from "../calls/model-calls.ts";
import { talkRefusal } from "../decide/changes.ts";
import type { Effect } from "../decide/effect.ts";
import { fitAside } from "../decide/questions.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Histories } from "./histories.ts";

type Asker = Pick<Watcher, "send">;

export class SideQuestions {
	private readonly core: RunCore;
	private readonly histories: Histories;
	private readonly calls: ModelCalls;
	/** Whose question is being answered. */
	private readonly askers = new Map<AgentId, Asker>();

	constructor(core: RunCore, histories: Histories, calls: ModelCalls) {
		this.core = core;
		this.histories = histories;
		this.calls = calls;
	}

	async handle(watcher: Asker, { agent, text }: Extract<FromWatcher, { say: "aside" }>): Promise<void> {
		const { core } = this;
		const refused = (reason: string) => watcher.send({ say: "refused", reason });
		if (this.askers.has(agent)) return refused("another side question is being answered");
		this.askers.set(agent, watcher);
		const messages = talkRefusal(core.state, agent) === undefined ? await this.histories.ask(agent) : undefined;
		const request = messages && core.conversations.get(agent)?.aside(messages, text);
		const reason = talkRefusal(core.state, agent) ?? (request === undefined ? `agent ${agent} is ending` : undefined);
		if (reason !== undefined || request === undefined) return this.over(agent, () => refused(reason ?? ""));
		const verdict = fitAside(core.state, { agent, request, now: core.host.now() });
		if (verdict.is !== "fits") return this.over(agent, () => refused(verdict.reason));
		const { is: _, ...fitting } = verdict;
		core.dispatch({ is: "aside_asked", agent, ...fitting });
	}

	/** Makes the call. A model that calls a tool in place of an answer is asked once more, without tools. */
	async call({ agent, request, reservation }: Extract<Effect, { do: "call_aside" }>): Promise<void> {
		const ask = (asked: ModelRequest) =>
			this.calls.aside(agent, asked, (text) => this.askers.get(agent)?.send({ say: "aside_delta", agent, text }));
		const first = await ask(request);
		const isCall = first.outcome?.is === "reply" && textOf(first.outcome.content) === "";
		const { outcome, usage, costUsd } = isCall ? joined(first, await ask({ ...request, mayUseTools: false })) : first;
		this.core.dispatch({ is: "aside_ended", agent, usage, costUsd, ...defined({ reservation }) });
		this.over(agent, (asker) => {
			if (outcome?.is === "reply")
				asker.send({ say: "aside_answer", agent, text: textOf(outcome.content), usage, costUsd });
			else asker.send({ say: "refused", reason: outcome?.reason ?? "the run is ending" });
		});
	}

	private over(agent: AgentId, say: (asker: Asker) => void): void {
		const asker = this.askers.get(agent);
		this.askers.delete(agent);
		if (asker !== undefined) say(asker);
	}
}

/** What came of the second call, for the price of both. */
function joined(first: Aside, { outcome, usage, costUsd }: Aside): Aside {
	return { outcome, usage: addUsage(first.usage, usage), costUsd: addDollars(first.costUsd, costUsd) };
}
