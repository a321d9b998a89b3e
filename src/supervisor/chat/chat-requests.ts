/** What a person asks for who talks with the root of a conversation: to interrupt it, to take a message back, to change it, to be done. */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { isOver, ROOT } from "../../core/model/agent.ts";
import type { Message } from "../../core/model/message.ts";
import { textOf } from "../../core/model/message.ts";
import { withoutUndo } from "../../core/model/message-marks.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { addDollars, addUsage } from "../../core/model/usage.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { TalkRequest, Watcher } from "../../wire/watcher-messages.ts";
import type { Aside, ModelCalls } from "../calls/model-calls.ts";
import { contextParts } from "../conversations/conversation.ts";
import type { EffectOf } from "../decide/inputs-and-effects.ts";
import { closeRefusal, compactRefusal, interruptedAt, interruptRefusal, talkRefusal } from "../decide/listening.ts";
import { fitAside } from "../decide/questions.ts";
import type { RunCore } from "../run/run-core.ts";
import type { AgentSettings } from "./agent-settings.ts";
import type { AttachedChats } from "./attached-chats.ts";

type Client = Pick<Watcher, "send">;
type TalkOf<S extends TalkRequest["say"]> = Extract<TalkRequest, { say: S }>;

interface ChatParts {
	readonly agentSettings: AgentSettings;
	readonly attachedChats: AttachedChats;
	readonly calls: ModelCalls;
}

export class ChatRequests {
	private readonly core: RunCore;
	private readonly parts: ChatParts;
	/** Whose side question is being answered. */
	private readonly askers = new Map<AgentId, Client>();
	/** They wait until the agent says what its next request would have. */
	private readonly awaiting = new Map<AgentId, ((messages: readonly Message[] | undefined) => void)[]>();

	constructor(core: RunCore, parts: ChatParts) {
		this.core = core;
		this.parts = parts;
	}

	handle(watcher: Watcher, request: Exclude<TalkRequest, { say: "name" }>): void {
		switch (request.say) {
			case "interrupt":
				return this.interrupt(watcher, request.agent);
			case "withdraw":
				return this.withdraw(watcher, request.agent);
			case "close":
				return this.close(watcher);
			case "hang_up":
				return this.hangUp(watcher, request);
			case "compact":
				return this.compact(watcher, request);
			case "change":
				return void this.parts.agentSettings.handle(watcher, request);
			case "aside":
				return void this.askAside(watcher, request);
			case "context":
				return void this.describeContext(watcher, request.agent);
		}
	}

	private interrupt(watcher: Client, agent: string): void {
		const { core } = this;
		const reason = interruptRefusal(core.state, agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const was = interruptedAt(core.state, agent);
		core.dispatch({ is: "interrupt_asked", agent });
		watcher.send({ say: "interrupted", agent, was });
	}

	private withdraw(watcher: Client, agent: string): void {
		const { core } = this;
		const asked = core.run.agents[agent];
		const messages = asked === undefined || isOver(asked) ? [] : (asked.messages ?? []);
		const newest = messages[newestOfPerson(messages)];
		if (newest === undefined)
			return watcher.send({ say: "refused", reason: `no message of yours is queued for agent ${agent}` });
		core.dispatch({ is: "withdraw_asked", agent });
		watcher.send({ say: "withdrawn", agent, text: withoutUndo(newest.text) });
	}

	private compact(watcher: Client, { agent, keep }: TalkOf<"compact">): void {
		const { core } = this;
		const reason = compactRefusal(core.state, agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		core.conversations.get(agent)?.allowSummary(keep);
		core.dispatch({ is: "compact_asked", agent });
		watcher.send({ say: "compacting", agent });
	}

	/** Decided here, since whoever hangs up may not have heard yet what goes on, and who else talks. */
	private hangUp(watcher: Watcher, { reason, signal }: TalkOf<"hang_up">): void {
		const { core } = this;
		if (this.parts.attachedChats.isBeside(watcher)) return;
		const isQuiet = closeRefusal(core.state) === undefined && branchOf(core.run.agents, ROOT).living === 1;
		if (isQuiet) core.dispatch({ is: "close_asked", agent: ROOT });
		else core.stopRun({ by: "stopped", reason: oneLine(reason), signal }, false);
	}

	/** Answered by the end of the run. */
	private close(watcher: Client): void {
		const { core } = this;
		const reason = closeRefusal(core.state);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		core.dispatch({ is: "close_asked", agent: ROOT });
	}

	/** A question beside the conversation: the agent's model answers it with what the agent has so far, for the person alone. */
	private async askAside(watcher: Client, { agent, text }: TalkOf<"aside">): Promise<void> {
		const { core } = this;
		const refused = (reason: string) => watcher.send({ say: "refused", reason });
		if (this.askers.has(agent)) return refused("another side question is being answered");
		this.askers.set(agent, watcher);
		const messages = talkRefusal(core.state, agent) === undefined ? await this.historyOf(agent) : undefined;
		const request = messages && core.conversations.get(agent)?.aside(messages, text);
		const reason = talkRefusal(core.state, agent) ?? (request === undefined ? `agent ${agent} is ending` : undefined);
		if (reason !== undefined || request === undefined) return this.asideOver(agent, () => refused(reason ?? ""));
		const verdict = fitAside(core.state, { agent, request, now: core.host.now() });
		if (verdict.is !== "fits") return this.asideOver(agent, () => refused(verdict.reason));
		const { is: _, ...fitting } = verdict;
		core.dispatch({ is: "aside_asked", agent, ...fitting });
	}

	/** Makes the call of a side question. A model that calls a tool in place of an answer is asked once more, without tools. */
	async callAside({ agent, request, reservation }: EffectOf<"call_aside">): Promise<void> {
		const ask = (asked: ModelRequest) =>
			this.parts.calls.aside(agent, asked, (text) => this.askers.get(agent)?.send({ say: "aside_delta", agent, text }));
		const first = await ask(request);
		const isCall = first.outcome?.is === "reply" && textOf(first.outcome.content) === "";
		const { outcome, usage, costUsd } = isCall ? joined(first, await ask({ ...request, mayUseTools: false })) : first;
		this.core.dispatch({ is: "aside_ended", agent, usage, costUsd, ...defined({ reservation }) });
		this.asideOver(agent, (asker) => {
			if (outcome?.is === "reply")
				asker.send({ say: "aside_answer", agent, text: textOf(outcome.content), usage, costUsd });
			else asker.send({ say: "refused", reason: outcome?.reason ?? "the run is ending" });
		});
	}

	private asideOver(agent: AgentId, say: (asker: Client) => void): void {
		const asker = this.askers.get(agent);
		this.askers.delete(agent);
		if (asker !== undefined) say(asker);
	}

	/** What fills the context of the agent. */
	private async describeContext(watcher: Client, agent: AgentId): Promise<void> {
		const { core } = this;
		const reason = talkRefusal(core.state, agent);
		const messages = reason === undefined ? await this.historyOf(agent) : undefined;
		const registered = core.registry.get(agent);
		if (messages === undefined || registered === undefined)
			return watcher.send({ say: "refused", reason: reason ?? `agent ${agent} is ending` });
		const { system, instructions } = registered.file;
		const known = core.run.agents[agent];
		const { contextTokens: countedTokens, model = registered.file.model } = known ?? {};
		const facts = factsOf(model, core.settings.prices);
		const window = known?.windowTokens ?? windowTokens(facts);
		const { parts, isEstimated } = contextParts({ messages, system, instructions, countedTokens });
		const isCompacted = facts.readsMessages && registered.compactAt > 0;
		const compactAtTokens = isCompacted ? Math.round(registered.compactAt * window) : undefined;
		watcher.send({
			...{ say: "context", agent, windowTokens: window, parts, ...defined({ compactAtTokens }) },
			...(isEstimated && { isEstimated }),
		});
	}

	/** What the agent's next request would have, which only the agent knows; undefined when it goes before it has said that. */
	private historyOf(agent: AgentId): Promise<readonly Message[] | undefined> {
		if (!this.core.registry.isConnected(agent)) return Promise.resolve(undefined);
		this.core.registry.send(agent, { say: "history" });
		return new Promise((resolve) => {
			this.awaiting.set(agent, [...(this.awaiting.get(agent) ?? []), resolve]);
		});
	}

	/** The agent has said what its next request would have. */
	takeHistory(agent: AgentId, messages: readonly Message[]): void {
		const [first, ...others] = this.awaiting.get(agent) ?? [];
		this.awaiting.set(agent, others);
		first?.(messages);
	}

	/** The agent's connection has closed. */
	disconnected(agent: AgentId): void {
		for (const resolve of this.awaiting.get(agent) ?? []) resolve(undefined);
		this.awaiting.delete(agent);
	}
}

/** What came of the second call, for the price of both. */
function joined(first: Aside, { outcome, usage, costUsd }: Aside): Aside {
	return { outcome, usage: addUsage(first.usage, usage), costUsd: addDollars(first.costUsd, costUsd) };
}
