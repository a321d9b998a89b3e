/** The proxy of a run, for those of its agents that may reach only hosts that are named. */
import { isOver } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import { readFileLimit } from "../processes/file-limit.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { SandboxLender } from "./outside-sandbox.ts";
import { HostProxy, type HostProxyDeps } from "./proxy/host-proxy.ts";
import type { Caller } from "./proxy/requests.ts";
import type { RunSettings } from "./run-settings.ts";

export interface CreateHostProxyDeps extends Omit<HostProxyDeps, "uid" | "callerOf" | "maxFiles"> {
	readonly settings: Pick<RunSettings, "sandbox">;
	readonly registry: Pick<AgentRegistry, "agentOfToken" | "get">;
	readonly run: () => RunState;
	/** Of commands that may reach more than their agents. */
	readonly lender: Pick<SandboxLender, "callerOf">;
}

/** It listens in a run with a sandbox: any agent of that may be given a list of hosts. */
export function createHostProxy(deps: CreateHostProxyDeps): HostProxy {
	const proxy = new HostProxy({
		...{ ...deps, uid: process.getuid?.() ?? 0, maxFiles: readFileLimit("self")?.soft },
		callerOf: (token) => callerOf(token, deps),
	});
	if (deps.settings.sandbox !== undefined) void proxy.open();
	return proxy;
}

/** Undefined for a token that is of no agent, of one that has ended, and of one that needs no proxy or has no network. */
function callerOf(token: string, { registry, run, lender }: CreateHostProxyDeps): Caller | undefined {
	const lent = lender.callerOf(token);
	const agent = lent?.agent ?? registry.agentOfToken(token);
	const state = agent === undefined ? undefined : run().agents[agent];
	if (agent === undefined || state === undefined || isOver(state)) return undefined;
	if (lent !== undefined) return lent;
	const sandbox = registry.get(agent)?.file.sandbox;
	return sandbox?.network === "proxy" ? { agent, allowed: sandbox.hosts } : undefined;
}
