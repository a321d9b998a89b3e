/**
 * A run in the JSON format of Chrome's tracing, which chrome://tracing and Perfetto show: a track an agent with its waits for
 * a slot, turns and commands; further tracks where its commands ran side by side and where it was paused, since slices of one
 * track may only lie within one another; messages are marks on the agent's track. Times are microseconds since the run's start. Pure.
 */
import { describeCommandEnd } from "../../core/bash-call.ts";
import { type Agent, type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/message-marks.ts";
import { roundDollars, totalTokens } from "../../core/model/usage.ts";
import { preview } from "../../core/preview.ts";
import { afterPauseEvent, isPauseEvent } from "../../core/run/pause.ts";
import { agentsInOrder, EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { ordinal } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { exportedJson, type WholeRun } from "./whole-run.ts";

const PROCESS = 1; // the whole run is one process of the trace
const NAME_CHARS = 80;

export type TracedRun = Pick<WholeRun, "state" | "now"> & { readonly source: Pick<WholeRun["source"], "events"> };

/** The pieces of one JSON document. */
export function* chromeTrace({ source, state, now }: TracedRun): Generator<string> {
	const { run, task, model, startedAt } = state;
	const trace = new Trace();
	source.events((event) => trace.note(event));
	const about = { run, task, model, started_at: new Date(startedAt).toISOString() };
	yield `{"displayTimeUnit":"ms","otherData":${exportedJson(about)},"traceEvents":[\n`;
	yield exportedJson(named("process_name", { name: `run ${run}: ${nameOf(task)}` }));
	for (const event of trace.written(state, now)) yield `,\n${exportedJson(event)}`;
	yield "\n]}\n";
}

interface Slice {
	readonly from: number;
	/** Undefined while it goes on. */
	to: number | undefined;
	readonly name: string;
	readonly cat: "queued" | "turn" | "retry" | "command" | "waiting" | "paused";
	args: object;
	/** One behind the other; only the parts that lie within the slice are written. */
	readonly inner: readonly Slice[];
}

function begun(at: number, name: string, cat: Slice["cat"], rest: Partial<Slice> = {}): Slice {
	return { from: at, to: undefined, name, cat, args: {}, inner: [], ...rest };
}

/** Nothing ends before it began, though the system's time may have been set back meanwhile. */
function end(slice: Slice | undefined, at: number): void {
	if (slice !== undefined) slice.to ??= Math.max(slice.from, at);
}

/** How many agents there are of each kind from `at` on: those that have a slot are active. And what is spent, as far as prices are known. */
interface Sample {
	readonly at: number;
	readonly active: number;
	readonly waiting: number;
	readonly queued: number;
	readonly costUsd: number;
}

/** Takes the events of a run in order. */
class Trace {
	private state: RunState = { ...EMPTY_RUN, agents: {} };
	private readonly agents = new Map<AgentId, AgentTrace>();
	private readonly samples: Sample[] = [];
	private readonly counts = { active: 0, waiting: 0, queued: 0 };
	private costUsd = 0;
	private lastAt = 0;

	note(event: RunEvent): void {
		const { at } = event;
		const ids = "agent" in event && event.agent !== undefined ? [event.agent, parentOf(event.agent) ?? ""] : [];
		const paused = isPauseEvent(event) ? afterPauseEvent(this.state.agents, event) : [];
		for (const id of ids) this.count(id, -1);
		this.state = reduceInPlace(this.state, event);
		for (const id of ids) this.count(id, 1);
		for (const agent of paused) this.takePause(agent, at);
		if ("costUsd" in event) this.costUsd = roundDollars(this.costUsd + (event.costUsd ?? 0));
		this.take(event);
		this.sample(at);
		this.lastAt = at;
	}

	/** `state`: the run as its files and the process table tell it. What is under way goes on until `now`. */
	*written(state: RunState, now: number): Generator<object> {
		const micros = (at: number) => Math.max(0, at - state.startedAt) * 1_000;
		let tid = 1;
		for (const agent of agentsInOrder(state)) {
			const trace = this.of(agent.id);
			if (isOver(agent)) trace.ended(agent.state.at);
			const tracks = trace.tracks(agent, now);
			for (const [at, track] of tracks.entries()) yield* trackEvents(track, tid + at, micros);
			for (const mark of trace.marks(agent)) yield { ph: "i", pid: PROCESS, tid, s: "t", ...mark, ts: micros(mark.ts) };
			tid += tracks.length;
		}
		for (const { at, costUsd, ...args } of this.samples) {
			const counter = { ph: "C", pid: PROCESS, ts: micros(at) };
			yield { ...counter, name: "agents", args };
			yield { ...counter, name: "cost in dollars", args: { usd: costUsd } };
		}
	}

	private take(event: RunEvent): void {
		switch (event.event) {
			case "agent_joined":
			case "agent_resumed":
				this.of(event.agent).queued(event.at);
				this.takePause(this.state.agents[event.agent], event.at);
				if (event.command !== undefined) this.parent(event.agent)?.childJoined(event.agent, event.command, event.at);
				return;
			case "agent_ended":
				this.of(event.agent).ended(event.at);
				return this.parent(event.agent)?.childEnded(event.agent, event.at);
			case "run_resumed": // a supervisor that was killed wrote no end
				for (const trace of this.agents.values()) trace.ended(this.lastAt);
				return;
			case "run_forked": // what was spent, and what waited, is the first run's
				this.costUsd = 0;
				for (const trace of this.agents.values()) trace.copied();
				return;
		}
		if ("agent" in event && event.agent !== undefined) this.of(event.agent).take(event);
	}

	/** A pause of an agent that has ended counts when it goes on. */
	private takePause(agent: Agent | undefined, at: number): void {
		if (agent !== undefined && !isOver(agent)) this.of(agent.id).paused(at, agent.paused);
	}

	private of(agent: AgentId): AgentTrace {
		const known = this.agents.get(agent);
		if (known !== undefined) return known;
		const trace = new AgentTrace();
		this.agents.set(agent, trace);
		return trace;
	}

	private parent(child: AgentId): AgentTrace | undefined {
		const parent = parentOf(child);
		return parent === undefined ? undefined : this.of(parent);
	}

	private count(id: AgentId, by: 1 | -1): void {
		const is = this.state.agents[id]?.state.is;
		if (is === "queued" || is === "waiting") this.counts[is] += by;
		if (is === "thinking" || is === "running") this.counts.active += by;
	}

	/** Keeps the last of several samples of one time, and none that says nothing new. */
	private sample(at: number): void {
		const { costUsd, counts } = this;
		const last = this.samples.at(-1);
		const isSame = last?.queued === counts.queued && last.active === counts.active && last.waiting === counts.waiting;
		if (isSame && last.costUsd === costUsd) return;
		if (last?.at === at) this.samples.pop();
		this.samples.push({ at, ...counts, costUsd });
	}
}

/** The children of one command. They may join before the message about their command comes. */
interface Children {
	readonly started: Set<AgentId>;
	readonly living: Set<AgentId>;
	/** When it had living ones. */
	readonly waits: Slice[];
}

interface Message {
	readonly at: number;
	readonly from: AgentId | null;
	readonly text: string;
	deliveredAt: number | undefined;
}

interface Track {
	readonly name: string;
	readonly slices: readonly Slice[];
}

/** What one agent did, and what was done to it. */
class AgentTrace {
	private readonly slices: Slice[] = [];
	private readonly pauses: Slice[] = [];
	private readonly commands = new Map<number, Slice>();
	private readonly children = new Map<number, Children>();
	private messages: Message[] = [];
	private queue: Slice | undefined;
	private turn: { readonly number: number; readonly slice: Slice; readonly retries: Slice[] } | undefined;

	/** Other events take no time. */
	take(event: RunEvent): void {
		const { at } = event;
		switch (event.event) {
			case "turn_queued":
				return this.queued(at);
			case "turn_started": {
				end(this.queue, at);
				const retries: Slice[] = [];
				const name = event.purpose === undefined ? `turn ${event.turn}` : "compaction";
				this.turn = { number: event.turn, slice: this.begin(begun(at, name, "turn", { inner: retries })), retries };
				return;
			}
			case "turn_retrying":
			case "turn_ended":
			case "turn_failed":
			case "turn_cancelled":
				if (this.turn?.number !== event.turn) return;
				if (event.event === "turn_retrying") return this.retried(event, this.turn);
				this.turn.slice.args = turnFacts(event);
				return end(this.turn.slice, at);
			case "command_started": {
				const { command, text } = event;
				const { waits } = this.childrenOf(command);
				const slice = begun(at, nameOf(`$ ${text}`), "command", { args: { command, text }, inner: waits });
				this.commands.set(command, this.begin(slice));
				return;
			}
			case "command_ended": {
				const slice = this.commands.get(event.command);
				if (slice === undefined) return;
				slice.args = { ...slice.args, end: describeCommandEnd(event.end), output_bytes: event.outputBytes };
				return end(slice, at);
			}
			case "message_sent":
				this.messages.push({ at, from: event.from, text: event.text, deliveredAt: undefined });
				return;
			case "message_delivered":
				for (const message of this.waiting.slice(0, event.messages)) message.deliveredAt = Math.max(message.at, at);
				return;
			case "message_withdrawn": {
				const { waiting } = this;
				const taken = waiting[newestOfPerson(waiting)];
				this.messages = this.messages.filter((message) => message !== taken);
			}
		}
	}

	queued(at: number): void {
		end(this.queue, at);
		this.queue = this.begin(begun(at, "queued", "queued"));
	}

	childJoined(child: AgentId, command: number, at: number): void {
		const { started, living, waits } = this.childrenOf(command);
		started.add(child);
		if (living.size === 0) waits.push(begun(at, "waiting for agents", "waiting"));
		living.add(child);
	}

	childEnded(child: AgentId, at: number): void {
		for (const { living, waits } of this.children.values())
			if (living.delete(child) && living.size === 0) end(waits.at(-1), at);
	}

	/** A pause that is set again goes on; one that becomes hard, or no longer is, is another one. */
	paused(at: number, pause: Agent["paused"]): void {
		const name = pause && (pause.isHard ? "paused and frozen" : "paused");
		const last = this.pauses.at(-1);
		if (last?.to === undefined && last?.name === name) return;
		end(last, at);
		if (name !== undefined) this.pauses.push(begun(at, name, "paused"));
	}

	/** The agent was copied to another run: what waits for it there does not wait for the copy. */
	copied(): void {
		this.messages = this.messages.filter(({ deliveredAt }) => deliveredAt !== undefined);
	}

	/** A message may still be delivered: when the agent is resumed. */
	ended(at: number): void {
		if (this.turn?.slice.to === undefined && this.turn !== undefined) this.turn.slice.args = { ended_by: "cut_off" };
		for (const slice of [...this.slices, ...this.pauses]) end(slice, at);
	}

	/** The first track is the agent's own; there is one even for an agent that did nothing. What is open goes on until `now`. */
	tracks({ id, task }: Agent, now: number): Track[] {
		for (const [command, { started }] of this.children) {
			const slice = this.commands.get(command);
			if (slice !== undefined && started.size > 0) slice.args = { ...slice.args, agents: [...started].join(" ") };
		}
		const lanes = (slices: readonly Slice[]) => lanesOf(slices.map((slice) => closed(slice, now)));
		const [own = [], ...beside] = lanes(this.slices);
		const tracks: [string, Slice[]][] = [
			[nameOf(task), own],
			...beside.map((lane, at): [string, Slice[]] => [`parallel ${at + 2}`, lane]),
			...lanes(this.pauses).map((lane): [string, Slice[]] => ["pauses", lane]),
		];
		return tracks.map(([name, slices]) => ({ name: `${id} ${name}`, slices }));
	}

	/** Its messages and its end. */
	*marks(agent: Agent) {
		for (const { at: ts, from, text, deliveredAt } of this.messages) {
			const args = { text, ...(deliveredAt !== undefined && { delivered_after_ms: deliveredAt - ts }) };
			yield { ts, name: nameOf(`message from ${senderName(from)}: ${text}`), cat: "message", args };
		}
		if (!isOver(agent)) return;
		const { at: ts, ending } = agent.state;
		yield { ts, name: nameOf(describeEnding(ending)), cat: "ending", args: ending };
	}

	private get waiting(): Message[] {
		return this.messages.filter(({ deliveredAt }) => deliveredAt === undefined);
	}

	private begin(slice: Slice): Slice {
		this.slices.push(slice);
		return slice;
	}

	private retried(
		{ at, waitMs, attempt, reason }: Retrying,
		{ slice, retries }: NonNullable<AgentTrace["turn"]>,
	): void {
		if (slice.to !== undefined) return;
		const name = nameOf(`waiting for the ${ordinal(attempt)} retry: ${reason}`);
		retries.push(begun(at, name, "retry", { to: at + waitMs, args: { reason } }));
	}

	private childrenOf(command: number): Children {
		const known = this.children.get(command) ?? { started: new Set(), living: new Set(), waits: [] };
		this.children.set(command, known);
		return known;
	}
}

type Retrying = Extract<RunEvent, { event: "turn_retrying" }>;
type TurnEnd = Extract<RunEvent, { event: "turn_ended" | "turn_failed" | "turn_cancelled" }>;

function turnFacts(event: TurnEnd): object {
	const used = { tokens: totalTokens(event.usage), cost_usd: event.costUsd };
	switch (event.event) {
		case "turn_ended":
			return { ended_by: "answer", stop_reason: event.stopReason, ...used };
		case "turn_failed":
			return { ended_by: "failure", reason: event.reason, ...used };
		case "turn_cancelled":
			return { ended_by: "cancelled", ...used };
	}
}

type Closed = Slice & { readonly to: number };

/** What is open goes on until `until`. Of the slices within it the parts that lie there, one behind the other. */
function closed(slice: Slice, until: number): Closed {
	const to = slice.to ?? Math.max(slice.from, until);
	let from = slice.from;
	const inner = slice.inner.flatMap((one): Closed[] => {
		const part = { ...one, from: Math.max(from, one.from), to: Math.min(to, one.to ?? to) };
		if (part.to <= part.from) return [];
		from = part.to;
		return [part];
	});
	return { ...slice, to, inner };
}

/** As few lanes as it takes for slices that do not overlap within one. When the system's time was set back, any may overlap. */
function lanesOf(slices: readonly Closed[]): Closed[][] {
	const lanes: Closed[][] = [];
	for (const slice of [...slices].sort((a, b) => a.from - b.from)) {
		const free = lanes.find((lane) => (lane.at(-1)?.to ?? slice.from) <= slice.from);
		if (free === undefined) lanes.push([slice]);
		else free.push(slice);
	}
	return lanes;
}

function* trackEvents({ name, slices }: Track, tid: number, micros: (at: number) => number): Generator<object> {
	yield named("thread_name", { name }, tid);
	yield named("thread_sort_index", { sort_index: tid }, tid);
	yield* sliceEvents(slices, tid, micros);
}

function* sliceEvents(slices: readonly Slice[], tid: number, micros: (at: number) => number): Generator<object> {
	for (const { from, to = from, name, cat, args, inner } of slices) {
		const ts = micros(from);
		yield { ph: "X", pid: PROCESS, tid, ts, dur: micros(to) - ts, name, cat, args };
		yield* sliceEvents(inner, tid, micros);
	}
}

function named(name: "process_name" | "thread_name" | "thread_sort_index", args: object, tid = 0): object {
	return { ph: "M", pid: PROCESS, tid, name, args };
}

function nameOf(text: string): string {
	return preview(oneLine(redactKnown(text)), NAME_CHARS); // before the cut: a part of a secret is one, too
}
