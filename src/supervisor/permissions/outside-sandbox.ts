/** The sandbox of an agent with directories and hosts besides, for one command. */
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { defined } from "../../core/defined.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { proxySocket } from "../../core/run/pipe-path.ts";
import type { OutsideSandbox } from "../../wire/outside-messages.ts";
import type { Caller } from "../proxy/requests.ts";
import type { RunSettings } from "../run-settings.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import type { RegisteredAgent } from "../surroundings/registered-agent.ts";
import type { OutsideAsked } from "./outside-request.ts";

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
	const places = { bundles: dirname(settings.agentProgram), proxySocket: proxySocket(settings.socket), proxyToken };
	return { program, args, confinement, variables, writes: write ?? [], ...defined({ filter, network }), ...places };
}

/** What is hidden, or kept as it is, below a directory stays so. */
function withMore(own: Confinement, { write = [], hosts = [] }: Pick<OutsideAsked, "write" | "hosts">): Confinement {
	const mounts = [...own.mounts, ...write.map((path) => ({ path, as: "write" as const }))];
	return { ...own, mounts, ...(hosts.length > 0 && { network: "proxy" as const, hosts: [...own.hosts, ...hosts] }) };
}
