/**
 * Names to addresses, as the machine has it (getaddrinfo: /etc/hosts, too). Each lookup takes one of the four threads that the
 * run's files are written with, for as long as a name server is silent: so few are under way at once, and the agents that wait
 * have their turns one after the other, however many names each asks for.
 */
import { lookup } from "node:dns/promises";
import type { AgentId } from "../../core/model/agent.ts";

const AT_ONCE = 2;

export interface Asker {
	readonly agent: AgentId;
	/** It does not want to know any more. */
	readonly signal: AbortSignal;
}

export class Lookups {
	private readonly look: (name: string) => Promise<readonly string[]>;
	/** Whose turn is next comes first. */
	private readonly waiting = new Map<AgentId, Set<() => void>>();
	/** Whose they are. */
	private readonly underWay: AgentId[] = [];

	constructor(look = addressesOf) {
		this.look = look;
	}

	async of(name: string, asker: Asker): Promise<readonly string[]> {
		if (this.underWay.length < AT_ONCE) this.underWay.push(asker.agent);
		else if (!(await this.turn(asker))) throw new Error("called off");
		try {
			return await this.look(name);
		} finally {
			this.underWay.splice(this.underWay.indexOf(asker.agent), 1);
			this.next();
		}
	}

	/** Resolves to false when it was called off before. */
	private turn({ agent, signal }: Asker): Promise<boolean> {
		if (signal.aborted) return Promise.resolve(false);
		return new Promise((resolve) => {
			const own = this.waiting.get(agent) ?? new Set();
			const leave = (hasTurn: boolean) => {
				own.delete(begin);
				if (own.size === 0) this.waiting.delete(agent);
				signal.removeEventListener("abort", callOff);
				resolve(hasTurn);
			};
			const begin = () => leave(true);
			const callOff = () => leave(false);
			this.waiting.set(agent, own.add(begin));
			signal.addEventListener("abort", callOff, { once: true });
		});
	}

	/** The first agent that has none under way; where there is none, the first. */
	private next(): void {
		const agents = [...this.waiting.keys()];
		const agent = agents.find((one) => !this.underWay.includes(one)) ?? agents[0];
		const own = agent === undefined ? undefined : this.waiting.get(agent);
		if (agent === undefined || own === undefined) return;
		const [begin] = own;
		this.waiting.delete(agent);
		this.waiting.set(agent, own); // behind all others
		this.underWay.push(agent);
		begin?.();
	}
}

async function addressesOf(name: string): Promise<readonly string[]> {
	return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}
