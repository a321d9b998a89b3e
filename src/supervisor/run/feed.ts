/**
 * The feed of watchers: a snapshot, then every event after it, without a gap; and the pieces of an answer while it streams,
 * for the agent in focus; and what no event tells, for who asks for it. A watcher that does not read is disconnected, so that its unsent messages cannot fill the memory.
 */

import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { type AgentId, isWithin, ROOT } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/message-marks.ts";
import { isSamePiece, type ModelDelta } from "../../core/model/model.ts";
import { eventWithin, stateWithin } from "../../core/run/branch-view.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { ToldActivity, ToWatcher, Watcher } from "../../wire/watcher-messages.ts";

const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

const ENDS_A_TURN: ReadonlySet<RunEvent["event"]> = new Set([
	"turn_ended",
	"turn_failed",
	"turn_cancelled",
	"agent_ended",
]);

interface Watching {
	/** The agent of which it sees all, with what is below. */
	readonly branch: AgentId;
	/** The agent of whose answers it gets the pieces. */
	focus: AgentId | null;
}

interface Streaming {
	turn: number;
	deltas: ModelDelta[];
}

export class Feed {
	/** Called when something has happened, and when a watcher has come or gone. */
	onChanged: () => void = () => {};
	private readonly watchers = new Map<Watcher, Watching>();
	private readonly streaming = new Map<AgentId, Streaming>();
	private readonly activity: ActivityFeed;

	constructor(deps: Omit<ActivityFeedDeps, "send">) {
		this.activity = new ActivityFeed({ ...deps, send: (watcher, message) => this.send(watcher, message) });
	}

	/**
	 * Adds the watcher and sends it the snapshot. `activity`: and what no event tells. `by`: the agent in whose command it is, which sees
	 * its own branch alone.
	 */
	add(watcher: Watcher, state: RunState, { activity, by = null }: { activity?: boolean; by?: Sender } = {}): void {
		this.watchers.set(watcher, { branch: by ?? ROOT, focus: null });
		this.send(watcher, snapshotFor(by, state));
		if (activity && by === null && this.watchers.has(watcher)) this.activity.add(watcher);
		this.onChanged();
	}

	remove(watcher: Watcher): void {
		this.watchers.delete(watcher);
		this.activity.remove(watcher);
		this.onChanged();
	}

	isWatched(): boolean {
		return this.watchers.size > 0;
	}

	/** Sends the watcher the pieces of this agent's answers from now on, after those of the answer that streams; null: of none. */
	focus(watcher: Watcher, agent: AgentId | null): void {
		const watching = this.watchers.get(watcher);
		if (watching === undefined) return;
		watching.focus = agent;
		for (const message of streamedOf(agent, this.streaming)) this.send(watcher, message);
	}

	event(event: RunEvent): void {
		if (isBeginning(event)) this.streaming.set(event.agent, { turn: event.turn, deltas: [] });
		if (ENDS_A_TURN.has(event.event) && "agent" in event) {
			this.streaming.delete(event.agent);
			this.activity.forget(event.agent);
		}
		this.sendAll({ say: "event", event });
		this.activity.tellLater();
		this.onChanged();
	}

	recorded(agent: AgentId): void {
		this.sendAll({ say: "recorded", agent });
	}

	delta(agent: AgentId, turn: number, delta: ModelDelta): void {
		keep(this.streaming.get(agent), delta);
		this.activity.streamed(agent);
		for (const [watcher, { focus }] of [...this.watchers])
			if (focus === agent) this.send(watcher, { say: "delta", agent, turn, delta });
	}

	/** A piece of an answer came that nobody is told. */
	streamed(agent: AgentId): void {
		this.activity.streamed(agent);
	}

	/** The agent's call waits until the service takes more, or does so no longer. */
	held(agent: AgentId, isHeld: boolean): void {
		this.activity.held(agent, isHeld);
	}

	close(): void {
		for (const watcher of [...this.watchers.keys()]) {
			this.remove(watcher);
			watcher.close();
		}
	}

	private sendAll(message: Told): void {
		for (const [watcher, { branch }] of [...this.watchers]) this.send(watcher, shownIn(branch, message));
	}

	private send(watcher: Watcher, message: ToWatcher | undefined): void {
		if (message !== undefined) watcher.send(message);
		if (watcher.unsentBytes <= MAX_UNSENT_BYTES) return;
		this.remove(watcher);
		watcher.close();
	}
}

function snapshotFor(by: Sender, state: RunState): ToWatcher {
	return { say: "snapshot", ...(by === null ? { state } : { state: stateWithin(state, by), within: by }) };
}

type Told = Extract<ToWatcher, { say: "event" | "recorded" }>;

/** Undefined for what is not to be shown to a watcher that sees this branch. */
function shownIn(branch: AgentId, message: Told): Told | undefined {
	switch (message.say) {
		case "event": {
			const event = eventWithin(message.event, branch);
			return event && { say: "event", event };
		}
		case "recorded":
			return isWithin(message.agent, branch) ? message : undefined;
	}
}

/** What has streamed of the agent's answer. */
function streamedOf(agent: AgentId | null, streaming: ReadonlyMap<AgentId, Streaming>): ToWatcher[] {
	const current = agent === null ? undefined : streaming.get(agent);
	if (agent === null || current === undefined) return [];
	return current.deltas.map((delta) => ({ say: "delta", agent, turn: current.turn, delta }));
}

/** From here on an answer streams, from its first piece. */
function isBeginning(event: RunEvent): event is Extract<RunEvent, { event: "turn_started" | "turn_retrying" }> {
	return event.event === "turn_started" || event.event === "turn_retrying";
}

/** Keeps the piece, joined to the one before it of the same block, so that a late watcher gets few messages. */
function keep(current: Streaming | undefined, delta: ModelDelta): void {
	const last = current?.deltas.at(-1);
	if (last !== undefined && isSamePiece(last, delta)) last.text += delta.text;
	else current?.deltas.push({ ...delta });
}

export interface ActivityFeedDeps {
	readonly clock: Pick<Clock, "now" | "after">;
	/** The agents that wait for a slot, in the order in which they get one. */
	readonly queue: () => readonly AgentId[];
	readonly send: (watcher: Watcher, message: ToWatcher) => void;
}

const TELL_MS = 1_000;
/** Of each part of a message; what does not fit of the tokens is told a second later. */
const MOST_ID_CHARS = 64 * 1024;

/**
 * What watchers are told beside the events: whose answer grows, whose call waits for the service, and how the queue for a slot
 * stands. It changes too often for the event log, so it is told at most once a second, and only while somebody wants to hear it.
 */
class ActivityFeed {
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
