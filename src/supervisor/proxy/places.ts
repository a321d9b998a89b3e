/**
 * The places of connections to the proxy. One is held by what comes in and by what goes out for it, until both are closed. Where all are
 * taken, the agent with most of them loses its oldest to one that has fewer: so no agent, and no number of its children, keeps another out.
 */
import type { Socket } from "node:net";
import type { AgentId } from "../../core/model/agent.ts";

export class Place {
	readonly agent: AgentId;
	private readonly sockets = new Set<Socket>();
	private readonly onFree: (place: Place) => void;

	constructor(agent: AgentId, onFree: (place: Place) => void) {
		this.agent = agent;
		this.onFree = onFree;
	}

	/** It is open. */
	hold(socket: Socket): void {
		this.sockets.add(socket);
		socket.once("close", () => {
			this.sockets.delete(socket);
			if (this.sockets.size === 0) this.onFree(this);
		});
	}

	end(): void {
		for (const socket of this.sockets) socket.destroy();
	}
}

interface PlaceBounds {
	readonly ofAgent: number;
	readonly ofAll: number;
}

export class Places {
	private readonly bounds: PlaceBounds;
	/** Of each agent the oldest first. */
	private readonly taken = new Map<AgentId, Set<Place>>();

	constructor(bounds: PlaceBounds) {
		this.bounds = bounds;
	}

	/** Undefined when the agent may have no more. */
	take(agent: AgentId): Place | undefined {
		const own = this.taken.get(agent) ?? new Set();
		if (own.size >= this.bounds.ofAgent || !this.makeRoom(own.size)) return undefined;
		const place = new Place(agent, (free) => this.free(free));
		this.taken.set(agent, own.add(place));
		return place;
	}

	endAll(): void {
		for (const places of this.taken.values()) for (const place of places) place.end();
	}

	/** For an agent that has `own` of them. */
	private makeRoom(own: number): boolean {
		const all = [...this.taken.values()];
		if (all.reduce((sum, { size }) => sum + size, 0) < this.bounds.ofAll) return true;
		const most = all.reduce((one, other) => (other.size > one.size ? other : one), new Set<Place>());
		const [oldest] = most;
		if (oldest === undefined || most.size <= own + 1) return false;
		this.free(oldest);
		oldest.end();
		return true;
	}

	private free(place: Place): void {
		const own = this.taken.get(place.agent);
		own?.delete(place);
		if (own?.size === 0) this.taken.delete(place.agent);
	}
}
