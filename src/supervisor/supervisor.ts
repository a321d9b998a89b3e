/**
 * The supervisor performs what `decide` decides: it owns the socket, the run directory, the calls to the model, the
 * root agent and the clocks. Everything that happens goes through `happen`, one occurrence after the other.
 */
import { type Agent, type Ending, isOver, ROOT } from "../core/agent.ts";
import { exitCodeOf } from "../core/exit-code.ts";
import type { RunEvent } from "../core/run-event.ts";
import { livingAgents, type RunState, reduce } from "../core/run-state.ts";
import type { RunFile } from "../core/transcript.ts";
import { GRACE_MS } from "../processes/end-processes.ts";
import type { FromAgent, FromWatcher, Join } from "../protocol/messages.ts";
import type { RunLock } from "../store/run-lock.ts";
import { Roster } from "./agent-registry.ts";
import { ModelCalls } from "./calls/model-calls.ts";
import { createClocks } from "./clocks.ts";
import { decide, initialState } from "./decide/decide.ts";
import { type Effect, type Occurrence, occurrenceOf, type SupervisorState } from "./decide/input.ts";
import type { SupervisorHost } from "./host.ts";
import { timeIsUp, withTurn } from "./member.ts";
import { Teller } from "./outbox.ts";
import { Desk } from "./pending-joins.ts";
import { endingOfDeath } from "./processes/death.ts";
import { Watch } from "./processes/resource-monitor.ts";
import { type RootAgent, startRootAgent } from "./processes/root-agent.ts";
import { writeShims } from "./processes/shim.ts";
import { createReaper, LAST_WORDS_MS, type Reaper } from "./processes/terminator.ts";
import { beginRun, type Resumption, resumeRun } from "./record/begin-run.ts";
import { createFeed, type WatcherConnection } from "./record/feed.ts";
import { RunRecord } from "./record/journal.ts";
import { endedFileOf, endedRunFileOf } from "./record/run-files.ts";
import { endingOfRun, lastReap, type RunEnd } from "./run-end.ts";
import type { RunSettings } from "./run-settings.ts";
import { type AgentConnection, listenOn, type Server } from "./server.ts";
import { Stopper } from "./stopper.ts";

export class Supervisor {
	readonly directory: string;
	/** Resolves when nothing of the run lives any more. */
	readonly ended: Promise<RunEnd>;
	private readonly settings: RunSettings;
	private readonly host: SupervisorHost;
	private readonly runFile: RunFile;
	private readonly lock: RunLock;
	private readonly roster = new Roster();
	private readonly feed = createFeed();
	private readonly record: RunRecord;
	private readonly calls: ModelCalls;
	private readonly reaper: Reaper;
	private readonly clocks = createClocks();
	private readonly stopper: Stopper;
	private readonly watch: Watch;
	private readonly desk: Desk;
	private readonly teller: Teller;
	private state: SupervisorState;
	private server: Server | undefined;
	private rootProcess: RootAgent | undefined;
	private stopAsked: Ending | undefined;
	private rootFinish: Extract<FromAgent, { say: "finish" }> | undefined;
	private resolveEnded: (end: RunEnd) => void = () => {};

	/** Makes the run directory, or goes on in it; throws AgentreeError when it cannot. */
	constructor(settings: RunSettings, host: SupervisorHost, resumption?: Resumption) {
		this.settings = settings;
		this.host = host;
		const begun = resumption === undefined ? beginRun(settings, host) : resumeRun(settings, resumption, host);
		const { writer } = begun;
		this.runFile = begun.file;
		this.lock = begun.lock;
		this.state = initialState(begun.state, settings.prices);
		this.directory = writer.directory;
		this.record = new RunRecord(writer, this.feed, {
			...host,
			onBroken: (error) => this.stop({ by: "failure", reason: error.message, exitCode: 1 }),
		});
		const shimDirectory = writeShims(this.directory, settings.nodeProgram, settings.agentProgram);
		const { roster, record, directory } = this;
		const messageToRoot = resumption?.message;
		this.desk = new Desk({ settings, roster, record, table: host.table, shimDirectory, directory, messageToRoot });
		const { commandByPid } = roster;
		this.reaper = createReaper({ table: host.table, run: () => this.state.run, commandByPid });
		const happen = (occurrence: Occurrence) => this.happen(occurrence);
		const { patience, prices, keepsBackground } = settings;
		this.calls = new ModelCalls({ ...host, roster, record, directory, happen, patience, prices });
		const stopRun = (ending: Ending, isHurry: boolean) => this.stop(ending, isHurry || this.stopAsked !== undefined);
		const { reaper, clocks, calls } = this;
		this.teller = new Teller({ roster, record, calls, reaper, keepsBackground, stops: () => this.state.stops });
		this.stopper = new Stopper({ happen, reaper, clocks, stopRun, roster });
		this.watch = new Watch({
			...{ table: host.table, commandByPid, directory, bounds: settings.bounds, clocks, happen, reaper },
			run: () => this.state.run,
		});
		this.ended = new Promise((resolve) => {
			this.resolveEnded = resolve;
		});
		for (const event of begun.events) this.emit(event);
	}

	run(): RunState {
		return this.state.run;
	}

	/** Listens, then starts the root agent. */
	async start(): Promise<void> {
		this.server = await listenOn(this.settings.socket, {
			joined: (connection, join) => void this.joined(connection, join),
			said: (connection, message) => this.said(connection, message),
			gone: (connection) => this.gone(connection),
			watched: (watcher, message) => this.watched(watcher, message),
			unwatched: (watcher) => this.feed.remove(watcher),
		});
		this.rootProcess = startRootAgent(this.settings);
		this.roster.rootPid = this.reaper.adopt(this.rootProcess.pid);
		this.watch.start();
		void this.rootProcess.exited.then((ending) => this.finish(ending));
	}

	/** Asked twice, it does not wait for the grace. */
	stop(ending: Ending, isHurry = this.stopAsked !== undefined): void {
		const { root } = this;
		const hasFinished = root !== undefined && isOver(root); // it is printing, and its reader may be slow
		if (isHurry || hasFinished) void this.reaper.reap(ROOT, { isGone: true, graceMs: 0 });
		this.stopAsked ??= ending;
		if (root === undefined) this.rootProcess?.kill();
		this.happen({ is: "stop_asked", agent: ROOT, ending });
	}

	/** Undefined until it has joined this supervisor: one that goes on was over before. */
	private get root(): Agent | undefined {
		return this.roster.member(ROOT) === undefined ? undefined : this.run().agents[ROOT];
	}

	/** An agent that goes on must not be ended with what its earlier process left. */
	private async joined(connection: AgentConnection, join: Join): Promise<void> {
		this.desk.arrived(connection);
		if (join.resume !== undefined) await this.reaper.idle();
		if (this.desk.isWaiting(connection)) this.happen(this.desk.joined(connection, join, this.state.run));
	}

	private happen(occurrence: Occurrence): void {
		const decision = decide(this.state, occurrence, this.host.now());
		this.state = decision.state;
		for (const event of decision.events) this.written(event);
		for (const effect of decision.effects) this.perform(effect);
	}

	/** For events that nobody decides. */
	private emit(event: RunEvent): void {
		this.state = { ...this.state, run: reduce(this.state.run, event) };
		this.written(event);
	}

	private written(event: RunEvent): void {
		this.record.event(event, this.state.run);
		this.watch.event(event);
		if (event.event !== "agent_ended" && event.event !== "turn_cancelled") return;
		const member = this.roster.member(event.agent);
		if (member !== undefined) this.record.agentFile(endedFileOf(member.file, this.state.run));
	}

	private perform(effect: Effect): void {
		switch (effect.do) {
			case "admit":
				return this.admit(effect);
			case "refuse":
				return this.desk.refuse(effect);
			case "tell":
				return this.teller.tell(effect.agent, effect.message);
			case "call":
				return this.calls.start(effect);
			case "cancel_call":
				return this.calls.cancel(effect.agent);
			case "reap":
				return this.teller.reap(effect);
			case "reap_after_grace":
				return this.clocks.after(
					GRACE_MS + LAST_WORDS_MS,
					this.roster.ifSame(effect.agent, () => this.reaper.reap(effect.agent, { isGone: true, graceMs: 0 })),
				);
		}
	}

	private admit(effect: Extract<Effect, { do: "admit" }>): void {
		this.reaper.makeGroup(effect.agent);
		const member = this.desk.admit(effect, this.state.run, this.host.now());
		if (member === undefined) return;
		const { id } = member;
		const { maxTimeMs } = member.file.limits;
		const ending = timeIsUp(id, maxTimeMs);
		const stop = () => (id === ROOT ? this.stop(ending) : this.happen({ is: "stop_asked", agent: id, ending }));
		this.clocks.after(maxTimeMs, this.roster.ifSame(id, stop));
	}

	private said(connection: AgentConnection, message: Exclude<FromAgent, Join>): void {
		const agent = this.roster.agentOn(connection);
		if (agent === undefined) return;
		if (message.say === "finish" && agent === ROOT) this.rootFinish = message;
		if (message.say === "record") this.record.message(agent, withTurn(message.entry, this.run().agents[agent]));
		if (message.say === "command_started")
			this.roster.commandStarted(agent, message, { self: this.run().agents[agent], table: this.host.table });
		if (message.say === "command_ended") this.roster.commandEnded(agent, message);
		this.happen(occurrenceOf(agent, message));
	}

	private gone(connection: AgentConnection): void {
		const agent = this.roster.disconnect(connection);
		this.desk.gone(connection);
		if (agent === undefined) return;
		this.stopper.gone(agent);
		const member = this.run().agents[agent];
		if (agent === ROOT || member === undefined || isOver(member)) return;
		const cameFirst = this.state.stops[agent] === undefined; // to find out why takes a while
		void endingOfDeath(member, this.host.table).then((ending) => this.happen({ is: "gone", agent, ending, cameFirst }));
	}

	private watched(watcher: WatcherConnection, message: FromWatcher): void {
		switch (message.say) {
			case "watch":
				return this.feed.add(watcher, this.state.run);
			case "focus":
				return this.feed.focus(watcher, message.agent);
			case "stop_agent":
				return this.stopper.asked(watcher, message);
		}
	}

	/** The root's process has exited: what it left is ended, then the run is over. */
	private async finish(exit: Ending): Promise<void> {
		this.happen({ is: "gone", agent: ROOT, ending: exit });
		const facts = { exit, stopAsked: this.stopAsked, printsAnswer: this.settings.rootStdio === "inherit" };
		const ending = endingOfRun(this.root, facts);
		this.clocks.stop();
		await this.reaper.idle();
		const keeps = this.settings.keepsBackground && ending.by === "answer";
		const graceMs = this.stopAsked === undefined ? GRACE_MS : 0;
		const left = await lastReap(this.reaper, this.run(), { keeps, graceMs });
		for (const agent of livingAgents(this.run()))
			this.happen({ is: "gone", agent, ending: { by: "crashed", reason: "its run ended" } });
		await this.calls.close();
		const exitCode = exitCodeOf(ending) || (this.rootProcess?.exitStatus() ?? 0);
		const at = this.host.now();
		this.emit({ event: "run_ended", at, ending, exitCode, ...left });
		this.record.runFile(endedRunFileOf(this.runFile, this.run()));
		this.reaper.close();
		this.roster.closeAll();
		this.server?.close();
		this.record.close();
		this.lock.release();
		this.resolveEnded({ ending, exitCode, ...left, rootFinish: this.rootFinish });
	}
}
