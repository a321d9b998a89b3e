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
	RetryingCall,
} from "./retrying-call.ts";

interface GatewayDeps extends CallDeps {
	/** Opens a model; called once for each name. */
	load: (name: string) => Promise<Model>;
	onSlowed: (slowed: Slowed) => void;
	/** The run's own model: what its service refuses for good ends the run. Absent: so does what any service refuses. */
	runModel?: string;
}

export class Gateway {
	private readonly deps: GatewayDeps;
	private readonly models = new Map<string, Promise<OpenModel>>();
	private readonly services = new Map<string, CalledService>();
	private runsService: string | undefined;
	/** Of each key the call under way, or what the newest one has brought without an answer. */
	private readonly calls = new Map<string, Pick<RetryingCall, "cancel" | "textSoFar">>();
	private readonly underWay = new Set<Promise<void>>();

	constructor(deps: GatewayDeps) {
		this.deps = deps;
	}

	call(call: GatewayCall, listener: CallListener): void {
		const loading = this.models.get(call.model) ?? this.open(call.model);
		this.models.set(call.model, loading);
		const current = new RetryingCall(call, { ...this.deps, loading, listener });
		const key = call.key ?? call.agent;
		this.calls.set(key, current);
		const made = current.make();
		this.underWay.add(made);
		void made.finally(() => {
			this.underWay.delete(made);
			if (this.calls.get(key) === current) this.settle(key, current.textSoFar);
		});
	}

	/** A call has its request, which is the whole history of its agent. */
	private settle(key: string, textSoFar: string): void {
		if (textSoFar === "") this.calls.delete(key);
		else this.calls.set(key, { textSoFar, cancel: () => {} });
	}

	/** Cancels the agent's call, whether it is under way or waits for a permit or a retry. */
	cancel(agent: AgentId): void {
		this.calls.get(agent)?.cancel();
	}

	/** The text so far of the agent's call; empty once the call has been answered. */
	partialText(agent: AgentId): string {
		return this.calls.get(agent)?.textSoFar ?? "";
	}

	/** Resolves when no call is under way any more. */
	async idle(): Promise<void> {
		while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
	}

	/** Cancels all calls and closes the models. */
	close(): void {
		for (const call of this.calls.values()) call.cancel();
		for (const opening of this.models.values()) opening.then(({ model }) => model.close()).catch(() => {});
	}

	private async open(name: string): Promise<OpenModel> {
		const model = await this.deps.load(name);
		if (model.service === undefined) return { model };
		if (name === this.deps.runModel) this.runsService = model.service;
		return { model, service: this.serviceNamed(model.service) };
	}

	private serviceNamed(name: string): CalledService {
		const known = this.services.get(name);
		if (known !== undefined) return known;
		const { retryPolicy, timer, onSlowed } = this.deps;
		const { retryTimeMs, retryWaitMs: pauseMs } = retryPolicy;
		const limiter = new RateLimiter({ timer, pauseMs, retryTimeMs, onSlowed });
		const isNeeded = () => this.services.size === 1 || this.runsService === name;
		const service = { limiter, isKnown: false, hasAnswered: false, isNeeded };
		this.services.set(name, service);
		return service;
	}
}
