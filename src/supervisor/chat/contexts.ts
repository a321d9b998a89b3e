/** Says what fills the context of an agent, of which it is asked what it holds. */
import { defined } from "../../core/defined.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";
import { contextParts } from "../conversations/context-parts.ts";
import { talkRefusal } from "../decide/changes.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Histories } from "./histories.ts";

export interface ContextsDeps {
	registry: Pick<AgentRegistry, "get">;
	histories: Pick<Histories, "ask">;
	prices: readonly PricedModel[];
	state: () => SupervisorState;
}

export class Contexts {
	private readonly deps: ContextsDeps;

	constructor(deps: ContextsDeps) {
		this.deps = deps;
	}

	async handle(watcher: Pick<Watcher, "send">, { agent }: Extract<FromWatcher, { say: "context" }>): Promise<void> {
		const { registry, histories, state, prices } = this.deps;
		const reason = talkRefusal(state(), agent);
		const messages = reason === undefined ? await histories.ask(agent) : undefined;
		const registered = registry.get(agent);
		if (messages === undefined || registered === undefined)
			return watcher.send({ say: "refused", reason: reason ?? `agent ${agent} is ending` });
		const { system, instructions } = registered.file;
		const known = state().run.agents[agent];
		const { contextTokens: countedTokens, model = registered.file.model } = known ?? {};
		const facts = factsOf(model, prices);
		const window = known?.windowTokens ?? windowTokens(facts);
		const { parts, isEstimated } = contextParts({ messages, system, instructions, countedTokens });
		const isCompacted = facts.readsMessages && registered.compactAt > 0;
		const compactAtTokens = isCompacted ? Math.round(registered.compactAt * window) : undefined;
		watcher.send({
			...{ say: "context", agent, windowTokens: window, parts, ...defined({ compactAtTokens }) },
			...(isEstimated && { isEstimated }),
		});
	}
}
