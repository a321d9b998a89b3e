/**
 * What all parts of a supervisor share: the run's settings, state and record, its agents and its processes. A part gets this
 * object whole, and as further arguments only the other parts that it calls. Nobody changes the state but by `dispatch`,
 * whose input is decided about (decide/), recorded and then performed, one after the other.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { AgentId, Ending } from "../../core/model/agent.ts";
import type { Model, ModelDelta } from "../../core/model/model.ts";
import { EXTRA_CERTIFICATES } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { RunWriter } from "../../record/run-writer.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import { Conversations } from "../conversations/conversation.ts";
import type { Input } from "../decide/inputs-and-effects.ts";
import { queuedAgents } from "../decide/scheduler.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import { LocalMachine } from "../processes/local-machine.ts";
import type { Machine } from "../processes/machine.ts";
import { gitToWrap, writeShims } from "../processes/shims.ts";
import type { HeldRoot } from "../processes/start-processes.ts";
import { AgentRegistry } from "./agent-registry.ts";
import { Feed } from "./feed.ts";
import { Journal } from "./journal.ts";

export interface RunCore {
	readonly settings: RunSettings;
	/** Time, random numbers, the process table and the models. */
	readonly host: SupervisorHost;
	/** The run's directory. */
	readonly directory: string;
	/** Where the commands of agents find `agent`: in the run's directory. */
	readonly shimDirectory: string;
	readonly state: SupervisorState;
	/** `state.run`. It is another object after each event. */
	readonly run: RunState;
	/** They end with the run. */
	readonly timers: RunTimers;
	readonly registry: AgentRegistry;
	readonly conversations: Conversations;
	readonly feed: Feed;
	readonly journal: Journal;
	readonly machine: Machine;
	dispatch(input: Input): void;
	/** Records an event that is no outcome of a decision. It does nothing once the run has ended. */
	emit(event: RunEvent): void;
	/** `isHurry`: without a grace. */
	stopRun(ending: Ending, isHurry: boolean): void;
}

/** What a supervisor needs of the process that it runs in. */
export interface SupervisorHost extends Clock {
	table: ProcessTable;
	/** 0 to 1. */
	random: () => number;
	loadModel: (name: string) => Promise<Model>;
	/** The root's process, where it was started ahead. */
	heldRoot?: HeldRoot | undefined;
	/** Called with an error that ended a call of a model, and nothing else. */
	onCallError?: (error: unknown) => void;
	/** Called when the event is on disk. */
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	/** Called for each piece of an answer that streams. A retried call (`turn_retrying`) begins from its start. */
	onDelta?: (agent: AgentId, turn: number, delta: ModelDelta) => void;
}

interface RunBegun extends Pick<RunCore, "settings" | "host" | "state" | "dispatch" | "emit" | "stopRun"> {
	readonly writer: RunWriter;
	/** Called when the run's directory cannot be written any more. */
	onBroken(error: Error): void;
}

/** Writes the shims. Throws AgentreeError when it cannot. */
export function createRunCore({ writer, onBroken, ...begun }: RunBegun): RunCore {
	const { settings, host, state } = begun;
	const registry = new AgentRegistry();
	const timers = createRunTimers(host);
	const feed = new Feed({ clock: host, queue: () => queuedAgents(state) });
	const agentOfToken = (token: string): AgentId | undefined => registry.agentOfToken(token);
	return {
		...begun,
		...{ directory: writer.directory, registry, timers, feed, conversations: new Conversations() },
		get run() {
			return state.run;
		},
		shimDirectory: writeShims(writer.directory, {
			...settings,
			...{ hasExtraCertificates: Boolean(settings.env[EXTRA_CERTIFICATES]), git: gitToWrap(settings) },
		}),
		journal: new Journal(writer, feed, { ...host, onBroken }),
		machine: new LocalMachine({ ...host, run: () => state.run, agentOfToken, timers }),
	};
}

/** Timers that end with the run, or with one of its agents. */
export interface RunTimers extends Pick<Timer, "after"> {
	stop(): void;
}

export function createRunTimers(clock: Pick<Timer, "after">): RunTimers {
	const callOffs = new Set<() => void>();
	return {
		after: (ms, then) => {
			const callOffTimer = clock.after(ms, () => {
				callOffs.delete(callOff);
				then();
			});
			const callOff = () => {
				callOffs.delete(callOff);
				callOffTimer();
			};
			callOffs.add(callOff);
			return callOff;
		},
		stop: () => {
			for (const callOff of callOffs) callOff();
		},
	};
}
