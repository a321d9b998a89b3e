/** With what a command is run outside of its agent's sandbox: as the agent's commands are, and with nothing of who asked. */

import { randomBytes } from "node:crypto";
import { outsideLog } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import { besideCookie } from "../../core/run/cookie.ts";
import { pipesDirectory, proxySocket } from "../../core/run/pipe-path.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { agentDirectory } from "../../record/run-directory.ts";
import type { OutsideOrder, OutsideSandbox } from "../../wire/outside-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { Caller } from "../proxy/requests.ts";
import type { AgentRegistry, RegisteredAgent } from "../run/agent-registry.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import type { OutsideAsked } from "./outside-request.ts";

/** A command that a person has allowed. */
export interface AllowedRun {
	/** 1, 2, … of the run. */
	readonly number: number;
	readonly agent: AgentId;
	/** The number of the agent's command that asks. */
	readonly command: number;
	readonly what: OutsideAsked;
}

export interface OutsideOrderDeps {
	readonly settings: RunSettings;
	/** The run's. */
	readonly directory: string;
	readonly shimDirectory: string;
	readonly registry: Pick<AgentRegistry, "get">;
	readonly sandboxes: Pick<Sandboxes, "sandboxOf">;
	readonly lender: SandboxLender;
	readonly run: RunState;
}

/** `pipe`: for what it prints. Undefined for an agent that is not known any more. */
export function outsideOrder(allowed: AllowedRun, pipe: string, deps: OutsideOrderDeps): OutsideOrder | undefined {
	const { settings, directory, shimDirectory, registry, run } = deps;
	const { agent, command, what, number } = allowed;
	const registered = registry.get(agent);
	if (registered === undefined) return undefined;
	const { socket, home, commandFiles: softFiles, env } = settings;
	return {
		...{ say: "order", command: what.command, cwd: what.directory, env, pipe, log: outsideLog(number) },
		place: { run: settings.run, agent, command, token: registered.token, socket, shimDirectory, home },
		cookie: outsideCookie(allowed, run),
		...{ pipesDirectory: pipesDirectory(socket), agentDirectory: agentDirectory(directory, agent) },
		...defined({ softFiles, sandbox: outsideSandbox({ registered, what, number }, deps) }),
	};
}

/** By which its processes are told from all others of the agent. */
function outsideCookie({ agent, command, number }: AllowedRun, run: RunState): Record<string, string> {
	const above = withAncestors(agent).reverse();
	const steps = above.slice(1).map((child, at) => `${above[at]}:${run.agents[child]?.command}`);
	return besideCookie({ run: run.run, agent, command }, `outside-${number}`, steps);
}

/** The sandbox of an agent with directories and hosts besides, for one command. */

/** Tokens with which the proxy knows commands that may reach more than their agents. */
export class SandboxLender {
	private readonly callers = new Map<string, Caller & { readonly outside: number }>();

	/** `outside`: the number of the command. */
	lend(outside: number, caller: Caller): string {
		const token = randomBytes(16).toString("hex");
		this.callers.set(token, { ...caller, outside });
		return token;
	}

	callerOf(token: string): Caller | undefined {
		return this.callers.get(token);
	}

	/** The command is over: what it has left running reaches nothing more. */
	forget(outside: number): void {
		for (const [token, caller] of this.callers) if (caller.outside === outside) this.callers.delete(token);
	}
}

interface Lending {
	readonly registered: RegisteredAgent;
	readonly what: OutsideAsked;
	readonly number: number;
}

/** Undefined: outside of any. */
export function outsideSandbox(
	{ registered, what: { write, hosts }, number }: Lending,
	{
		settings,
		sandboxes,
		lender,
	}: { settings: RunSettings; sandboxes: Pick<Sandboxes, "sandboxOf">; lender: SandboxLender },
): OutsideSandbox | undefined {
	const { id, token, file } = registered;
	if (file.sandbox === undefined || (write === undefined && hosts === undefined)) return undefined;
	const confinement = withMore(file.sandbox, defined({ write, hosts }));
	const { program, args, filter, network, variables } = sandboxes.sandboxOf(id, confinement, { isAside: true });
	const proxyToken = hosts === undefined ? token : lender.lend(number, { agent: id, allowed: confinement.hosts });
	const places = { proxySocket: proxySocket(settings.socket), proxyToken };
	return { program, args, confinement, variables, writes: write ?? [], ...defined({ filter, network }), ...places };
}

/** What is hidden, or kept as it is, below a directory stays so. */
function withMore(own: Confinement, { write = [], hosts = [] }: Pick<OutsideAsked, "write" | "hosts">): Confinement {
	const mounts = [...own.mounts, ...write.map((path) => ({ path, as: "write" as const }))];
	return { ...own, mounts, ...(hosts.length > 0 && { network: "proxy" as const, hosts: [...own.hosts, ...hosts] }) };
}
