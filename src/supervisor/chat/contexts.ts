/** Says what fills the context of an agent, of which it is asked what it holds. */
import { defined } from "../../core/defined.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import { contextParts } from "../conversations/conversation.ts";
import { talkRefusal } from "../decide/changes.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Histories } from "./histories.ts";

export class Contexts {
	private readonly core: RunCore;
	private readonly histories: Histories;

	constructor(core: RunCore, histories: Histories) {
		this.core = core;
		this.histories = histories;
	}

	async handle(watcher: Pick<Watcher, "send">, { agent }: Extract<FromWatcher, { say: "context" }>): Promise<void> {
		const { core } = this;
		const reason = talkRefusal(core.state, agent);
		const messages = reason === undefined ? await this.histories.ask(agent) : undefined;
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
}
