/**
 * The only way to the models: all calls of a run are made and cancelled here, and one rate limiter for each service paces the
 * calls that go to it. Only complete answers leave the gateway, so no command of a broken answer is ever run.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { Model } from "../../core/model/model.ts";
import { RateLimiter, type Slowed } from "./rate-limiter.ts";
import {
	type CallDeps,
	type CalledService,
	type CallListener,
	type GatewayCall,
	type OpenModel,
	type Progress,
	RetryingCall,
} from "./retrying-call.ts";

export interface Gateway {
	call(call: GatewayCall, listener: CallListener): void;
	/** Cancels the agent's call, whether it is under way or waits for a permit or a retry. */
	cancel(agent: AgentId): void;
	/** The text so far of the agent's call; empty once the call has been answered. */
	partialText(agent: AgentId): string;
	/** Resolves when no call is under way any more. */
	idle(): Promise<void>;
	/** Cancels all calls and closes the models. */
	close(): void;
}

interface GatewayDeps extends CallDeps {
	/** Opens a model; called once for each name. */
	load: (name: string) => Promise<Model>;
	onSlowed: (slowed: Slowed) => void;
	/** The run's own model: what its service refuses for good ends the run. Absent: so does what any service refuses. */
	runModel?: string;
}

export function createGateway(deps: GatewayDeps): Gateway {
	const { retryPolicy, timer, onSlowed } = deps;
	const { retryTimeMs, retryWaitMs: pauseMs } = retryPolicy;
	const models = new Map<string, Promise<OpenModel>>();
	const calls = new Map<AgentId, Progress>();
	const underWay = new Set<Promise<void>>();
	const services = new Map<string, CalledService>();
	let runsService: string | undefined;
	const serviceNamed = (name: string): CalledService => {
		const known = services.get(name);
		if (known !== undefined) return known;
		const limiter = new RateLimiter({ timer, pauseMs, retryTimeMs, onSlowed });
		const isNeeded = () => services.size === 1 || runsService === name;
		const service = { limiter, isKnown: false, hasAnswered: false, isNeeded };
		services.set(name, service);
		return service;
	};
	const open = async (name: string): Promise<OpenModel> => {
		const model = await deps.load(name);
		if (model.service === undefined) return { model };
		if (name === deps.runModel) runsService = model.service;
		return { model, service: serviceNamed(model.service) };
	};
	const modelNamed = (name: string) => {
		const model = models.get(name) ?? open(name);
		models.set(name, model);
		return model;
	};
	return {
		call: (call, listener) => {
			const current: Progress = { abort: new AbortController(), text: "", textBefore: "" };
			calls.set(call.key ?? call.agent, current);
			const loading = modelNamed(call.model);
			const made = new RetryingCall(call, current, { ...deps, loading, listener }).make();
			underWay.add(made);
			void made.finally(() => underWay.delete(made));
		},
		cancel: (agent) => calls.get(agent)?.abort.abort(),
		partialText: (agent) => {
			const current = calls.get(agent);
			return current?.text || current?.textBefore || "";
		},
		idle: async () => {
			while (underWay.size > 0) await Promise.allSettled(underWay);
		},
		close: () => {
			for (const { abort } of calls.values()) abort.abort();
			for (const opening of models.values()) opening.then(({ model }) => model.close()).catch(() => {});
		},
	};
}
