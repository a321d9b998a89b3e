/**
 * What watchers are told beside the events: whose answer grows, whose call waits for the service, and how the queue for a slot
 * stands. It changes too often for the event log, so it is told at most once a second, and only while somebody wants to hear it.
 */

import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { ToldActivity, ToWatcher, Watcher } from "../../wire/watcher-messages.ts";

export interface ActivityFeedDeps {
	readonly clock: Pick<Clock, "now" | "after">;
	/** The agents that wait for a slot, in the order in which they get one. */
	readonly queue: () => readonly AgentId[];
	readonly send: (watcher: Watcher, message: ToWatcher) => void;
}

const TELL_MS = 1_000;
/** Of each part of a message; what does not fit of the tokens is told a second later. */
const MOST_ID_CHARS = 64 * 1024;

export class ActivityFeed {
	private readonly deps: ActivityFeedDeps;
	private readonly audience = new Set<Watcher>();
	/** Of each call under way that has brought something: when the newest token came. */
	private readonly tokenAt = new Map<AgentId, number>();
	/** The agents whose newest token has not been told. */
	private readonly fresh = new Set<AgentId>();
	private readonly heldSince = new Map<AgentId, number>();
	/** As they were told last; undefined: they have to be told. */
	private told: { held: string; queue: string } | undefined;
	private callOff: (() => void) | undefined;

	constructor(deps: ActivityFeedDeps) {
		this.deps = deps;
	}

	/** All is told at once, also to the others, who thus know the same as a newcomer. */
	add(watcher: Watcher): void {
		this.audience.add(watcher);
		this.told = undefined;
		for (const agent of this.tokenAt.keys()) this.fresh.add(agent);
		this.tell();
	}

	remove(watcher: Watcher): void {
		this.audience.delete(watcher);
		if (this.audience.size > 0) return;
		this.fresh.clear();
		this.callOff?.();
		this.callOff = undefined;
	}

	streamed(agent: AgentId): void {
		this.tokenAt.set(agent, this.deps.clock.now());
		if (this.audience.size === 0) return;
		this.fresh.add(agent);
		this.tellLater();
	}

	/** The agent's call waits until the service takes more, or does so no longer. */
	held(agent: AgentId, isHeld: boolean): void {
		if (isHeld) this.heldSince.set(agent, this.deps.clock.now());
		else this.heldSince.delete(agent);
		this.tellLater();
	}

	/** What was known of the agent's call is of one that is over. */
	forget(agent: AgentId): void {
		this.tokenAt.delete(agent);
		this.fresh.delete(agent);
	}

	/** Something has happened after which the queue may be another one. */
	tellLater(): void {
		if (this.callOff !== undefined || this.audience.size === 0) return;
		this.callOff = this.deps.clock.after(TELL_MS, () => {
			this.callOff = undefined;
			this.tell();
		});
	}

	private tell(): void {
		if (this.audience.size === 0) return;
		const news = this.news();
		if (Object.keys(news).length === 0) return;
		for (const watcher of [...this.audience]) this.deps.send(watcher, { say: "activity", ...news });
		if (this.fresh.size > 0) this.tellLater();
	}

	private news(): ToldActivity {
		const all = this.deps.queue();
		const held = timesOf(this.heldSince.keys(), this.heldSince);
		const queue = { first: withinBounds(all), length: all.length };
		const before = this.told;
		this.told = { held: Object.keys(held).join(" "), queue: `${queue.length} ${queue.first.join(" ")}` };
		return defined({
			tokens: this.fresh.size === 0 ? undefined : this.takeFresh(),
			held: before?.held === this.told.held ? undefined : held,
			queue: before?.queue === this.told.queue ? undefined : queue,
		});
	}

	private takeFresh(): Record<AgentId, number> {
		const taken = timesOf(this.fresh, this.tokenAt);
		for (const agent of Object.keys(taken)) this.fresh.delete(agent);
		return taken;
	}
}

function timesOf(agents: Iterable<AgentId>, times: ReadonlyMap<AgentId, number>): Record<AgentId, number> {
	return Object.fromEntries(withinBounds(agents).map((agent) => [agent, times.get(agent) ?? 0]));
}

function withinBounds(agents: Iterable<AgentId>): AgentId[] {
	const kept: AgentId[] = [];
	let chars = 0;
	for (const agent of agents) {
		chars += agent.length;
		if (chars > MOST_ID_CHARS) break;
		kept.push(agent);
	}
	return kept;
}
