/** With what a command is run outside of its agent's sandbox: as the agent's commands are, and with nothing of who asked. */

import { outsideLog } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import { besideCookie } from "../../core/run/cookie.ts";
import { pipesDirectory } from "../../core/run/pipe-path.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { agentDirectory } from "../../record/run-directory.ts";
import type { OutsideOrder } from "../../wire/outside-messages.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";
import type { RunSettings } from "../run-settings.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import type { OutsideAsked } from "./outside-request.ts";
import { outsideSandbox, type SandboxLender } from "./outside-sandbox.ts";

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
