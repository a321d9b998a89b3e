/** Takes in what a person changes of the root of a conversation, and lets it hold: in the files, for the agent, for its calls. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { changedLimits, type Limits } from "../../core/limits/limits.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { factsOf } from "../../models/catalogue.ts";
import { checkModel, resolveModel } from "../../models/providers.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import { contextBounds, withSystem } from "../agents/agent-file.ts";
import type { TimeLimits } from "../agents/time-limits.ts";
import type { EffectOf } from "../decide/inputs-and-effects.ts";
import { talkRefusal } from "../decide/listening.ts";
import type { RunCore } from "../run/run-core.ts";

type ChangeRequest = Extract<FromWatcher, { say: "change" }>;

export class AgentSettings {
	private readonly core: RunCore;
	private readonly timeLimits: TimeLimits;
	private readonly onRootChanged: () => void;

	/** `onRootChanged`: called when the run's own file has to be written again. */
	constructor(core: RunCore, timeLimits: TimeLimits, onRootChanged: () => void) {
		this.core = core;
		this.timeLimits = timeLimits;
		this.onRootChanged = onRootChanged;
	}

	async handle(watcher: Pick<Watcher, "send">, request: ChangeRequest): Promise<void> {
		const { core } = this;
		const { agent, effort } = request;
		const refused = (reason: string) => watcher.send({ say: "refused", reason });
		try {
			const model = await this.checkedModel(request);
			const reason = talkRefusal(core.state, agent); // it may have come to its end meanwhile
			if (reason !== undefined) return refused(reason);
			const limits = this.limitsOf(request);
			this.requirePrice(agent, model, limits);
			const windowTokens = model === undefined ? undefined : factsOf(model, core.settings.prices).contextTokens;
			core.dispatch({ is: "change_asked", agent, ...defined({ model, effort, limits, windowTokens }) });
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			return refused(error.message);
		}
		const now = core.run.agents[agent];
		if (now === undefined) return;
		const inForce = core.registry.get(agent)?.file.effort;
		watcher.send({ say: "changed", agent, model: now.model, limits: now.limits, ...defined({ effort: inForce }) });
	}

	/** Lets it hold for the agent, whose state has it already. */
	apply({ agent: id, isOtherModel }: EffectOf<"change">): void {
		const { registry, journal, conversations, run, settings, host } = this.core;
		const registered = registry.get(id);
		const agent = run.agents[id];
		if (registered === undefined || agent === undefined) return;
		const { model, effort = registered.file.effort, limits } = agent;
		const { windowTokens: _, ...rest } = registered.file;
		const changed = { ...rest, model, limits, ...defined({ effort, windowTokens: agent.windowTokens }) };
		const file = withSystem(changed, { run, asking: settings.asking });
		const now = { ...registered, file };
		registry.replace(now);
		journal.agentFile(file);
		if (isOtherModel) journal.message(id, { role: "note", note: "changed", at: host.now(), model });
		const conversation = conversations.get(id);
		if (conversation !== undefined) conversation.system = file.system;
		this.timeLimits.change(id);
		registry.send(id, {
			say: "changed",
			...contextBounds(now, settings.prices),
			...(isOtherModel && { isOtherModel }),
		});
		this.onRootChanged();
	}

	/** The model's full name. Throws AgentreeError for a model that cannot be called, or does not fit to the one before. */
	private async checkedModel({ agent, model, startedIn }: ChangeRequest): Promise<string | undefined> {
		if (model === undefined) return undefined;
		const { host, run } = this.core;
		const { takesAnyModel, prices } = this.core.settings;
		const name = resolveModel(model, startedIn, { from: undefined, isAnyTaken: takesAnyModel });
		checkModel(name);
		const before = run.agents[agent]?.model ?? name;
		if (factsOf(name, prices).answersBytes !== factsOf(before, prices).answersBytes)
			throw new AgentreeError("usage", `${name} cannot continue a conversation of ${before}: start a new one`);
		(await host.loadModel(name)).close();
		return name;
	}

	private limitsOf({ agent, limits: changes }: ChangeRequest): Limits | undefined {
		const inForce = this.core.run.agents[agent]?.limits;
		if (changes === undefined || inForce === undefined) return undefined;
		const changed = changedLimits(inForce, changes);
		if (changed.is === "wrong") throw new AgentreeError("usage", changed.reason);
		return changed.limits;
	}

	private requirePrice(id: AgentId, model: string | undefined, limits: Limits | undefined): void {
		const agent = this.core.run.agents[id];
		const name = model ?? agent?.model ?? "";
		const isBound = (limits ?? agent?.limits)?.maxBudgetUsd !== undefined;
		if (isBound && factsOf(name, this.core.settings.prices).price.is === "unknown")
			throw new AgentreeError(
				"usage",
				`the price of the model ${name} is unknown, so a dollar budget cannot be enforced: use max-tokens`,
			);
	}
}
