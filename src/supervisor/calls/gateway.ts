/**
 * The only way to the models: all calls of a run are made and cancelled here, and one rate limiter paces the calls that go to
 * a service. Only complete answers leave the gateway, so no command of a broken answer is ever run.
 */
import type { AgentId } from "../../core/agent.ts";
import type { Model } from "../../core/model.ts";
import { Permits } from "./permits.ts";
import type { Slowed } from "./rate-limiter.ts";
import {
	type CallDeps,
	type CallListener,
	type GatewayCall,
	type Progress,
	RetryingCall,
	type ServiceContact,
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

export interface GatewayDeps extends CallDeps {
	/** Opens a model; called once for each name. */
	load: (name: string) => Promise<Model>;
	onSlowed: (slowed: Slowed) => void;
}

export function createGateway(deps: GatewayDeps): Gateway {
	const { retryPolicy, timer, onSlowed } = deps;
	const { retryTimeMs, retryWaitMs: pauseMs } = retryPolicy;
	const permits = new Permits({ timer, pauseMs, retryTimeMs, onSlowed });
	const models = new Map<string, Promise<Model>>();
	const calls = new Map<AgentId, Progress>();
	const underWay = new Set<Promise<void>>();
	const contact: ServiceContact = { isKnown: false, hasAnswered: false };
	const modelNamed = (name: string) => {
		const model = models.get(name) ?? deps.load(name);
		models.set(name, model);
		return model;
	};
	return {
		call: (call, listener) => {
			const current: Progress = { abort: new AbortController(), text: "", textBefore: "" };
			calls.set(call.agent, current);
			const loading = modelNamed(call.model);
			const made = new RetryingCall(call, current, { ...deps, permits, loading, listener, contact }).make();
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
			for (const model of models.values()) model.then((loaded) => loaded.close()).catch(() => {});
		},
	};
}
