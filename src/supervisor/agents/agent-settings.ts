/** Takes in what a person changes of the root of a conversation, and lets it hold: in the files, for the agent, for its calls. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { changedLimits, type Limits } from "../../core/limits/limits.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { Model } from "../../core/model/model.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import { checkModel, resolveModel } from "../../models/providers.ts";
import type { FromWatcher, Watcher } from "../../wire/watcher-messages.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { talkRefusal } from "../decide/changes.ts";
import type { Effect } from "../decide/effect.ts";
import type { Input } from "../decide/input.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Journal } from "../record/journal.ts";
import type { RunSettings } from "../run-settings.ts";
import { contextBounds, withSystem } from "../surroundings/registered-agent.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { TimeLimits } from "./time-limits.ts";

type ChangeRequest = Extract<FromWatcher, { say: "change" }>;

export interface AgentSettingsDeps {
	registry: Pick<AgentRegistry, "get" | "replace" | "send">;
	journal: Pick<Journal, "agentFile" | "message">;
	conversations: Pick<Conversations, "get">;
	now: () => number;
	timeLimits: Pick<TimeLimits, "change">;
	prices: readonly PricedModel[];
	asking?: RunSettings["asking"];
	/** A name that is not known is left to the service. */
	takesAnyModel?: boolean | undefined;
	loadModel: (name: string) => Promise<Model>;
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
	/** Called when the run's own file has to be written anew. */
	onRootChanged: () => void;
}

export class AgentSettings {
	private readonly deps: AgentSettingsDeps;

	constructor(deps: AgentSettingsDeps) {
		this.deps = deps;
	}

	async handle(watcher: Pick<Watcher, "send">, request: ChangeRequest): Promise<void> {
		const { dispatch, state } = this.deps;
		const { agent, effort } = request;
		const refused = (reason: string) => watcher.send({ say: "refused", reason });
		try {
			const model = await this.checkedModel(request);
			const reason = talkRefusal(state(), agent); // it may have come to its end meanwhile
			if (reason !== undefined) return refused(reason);
			const limits = this.limitsOf(request);
			this.requirePrice(agent, model, limits);
			const windowTokens = model === undefined ? undefined : factsOf(model, this.deps.prices).contextTokens;
			dispatch({ is: "change_asked", agent, ...defined({ model, effort, limits, windowTokens }) });
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			return refused(error.message);
		}
		const now = state().run.agents[agent];
		if (now === undefined) return;
		const inForce = this.deps.registry.get(agent)?.file.effort;
		watcher.send({ say: "changed", agent, model: now.model, limits: now.limits, ...defined({ effort: inForce }) });
	}

	/** Lets it hold for the agent, whose state has it already. */
	apply({ agent: id, isOtherModel }: Extract<Effect, { do: "change" }>): void {
		const { registry, journal, conversations, timeLimits, prices, state, onRootChanged } = this.deps;
		const registered = registry.get(id);
		const agent = state().run.agents[id];
		if (registered === undefined || agent === undefined) return;
		const { model, effort = registered.file.effort, limits } = agent;
		const { windowTokens: _, ...rest } = registered.file;
		const changed = { ...rest, model, limits, ...defined({ effort, windowTokens: agent.windowTokens }) };
		const file = withSystem(changed, { run: state().run, asking: this.deps.asking });
		const now = { ...registered, file };
		registry.replace(now);
		journal.agentFile(file);
		if (isOtherModel) journal.message(id, { role: "note", note: "changed", at: this.deps.now(), model });
		const conversation = conversations.get(id);
		if (conversation !== undefined) conversation.system = file.system;
		timeLimits.change(id);
		registry.send(id, { say: "changed", ...contextBounds(now, prices), ...(isOtherModel && { isOtherModel }) });
		onRootChanged();
	}

	/** The model's full name. Throws AgentreeError for a model that cannot be called, or does not fit to the one before. */
	private async checkedModel({ agent, model, startedIn }: ChangeRequest): Promise<string | undefined> {
		if (model === undefined) return undefined;
		const { takesAnyModel, loadModel, prices, state } = this.deps;
		const name = resolveModel(model, startedIn, { from: undefined, isAnyTaken: takesAnyModel });
		checkModel(name);
		const before = state().run.agents[agent]?.model ?? name;
		if (factsOf(name, prices).answersBytes !== factsOf(before, prices).answersBytes)
			throw new AgentreeError("usage", `${name} cannot continue a conversation of ${before}: start a new one`);
		(await loadModel(name)).close();
		return name;
	}

	private limitsOf({ agent, limits: changes }: ChangeRequest): Limits | undefined {
		const inForce = this.deps.state().run.agents[agent]?.limits;
		if (changes === undefined || inForce === undefined) return undefined;
		const changed = changedLimits(inForce, changes);
		if (changed.is === "wrong") throw new AgentreeError("usage", changed.reason);
		return changed.limits;
	}

	private requirePrice(id: AgentId, model: string | undefined, limits: Limits | undefined): void {
		const agent = this.deps.state().run.agents[id];
		const name = model ?? agent?.model ?? "";
		const isBound = (limits ?? agent?.limits)?.maxBudgetUsd !== undefined;
		if (isBound && factsOf(name, this.deps.prices).price.is === "unknown")
			throw new AgentreeError(
				"usage",
				`the price of the model ${name} is unknown, so a dollar budget cannot be enforced: use max-tokens`,
			);
	}
}
