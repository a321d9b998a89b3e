/**
 * The supervisor performs what `decide` decides: it owns the socket, the run directory, the calls to the model, the
 * root agent and the timers. Everything that happens goes through `dispatch`, one input after the other.
 */

import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { AgentreeError, exitCodeOf } from "../core/errors.ts";
import { type Agent, type Ending, isOver, ROOT } from "../core/model/agent.ts";
import { pipesDirectory, proxySocket } from "../core/run/pipe-path.ts";
import { livingAgents, type RunState, reduceInPlace } from "../core/run/run-state.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import type { RunFile } from "../core/schemas/run-files.ts";
import { thisProcess } from "../processes/table/belonging.ts";
import { withoutGitTies } from "../project/run-git.ts";
import { readableAgentFile } from "../record/read-run.ts";
import type { RunLock } from "../record/run-lock.ts";
import type { FromAgent, Join } from "../wire/agent-messages.ts";
import type { RunSettings } from "../wire/supervise-order.ts";
import type { Worktrees } from "./agents/worktrees.ts";
import type { ClientListener } from "./clients/client.ts";
import { ConnectedClients, type ConnectedClientsDeps } from "./clients/connected-clients.ts";
import { decide } from "./decide/decide.ts";
import type { Effect, EffectOf, Input } from "./decide/inputs-and-effects.ts";
import { initialState } from "./decide/supervisor-state.ts";
import { STOP_MS } from "./processes/machine.ts";
import { maxConnections, readDescriptors } from "./processes/machine-resources.ts";
import { notBegun, type RootAgent } from "./processes/start-processes.ts";
import type { AgentConnection } from "./run/agent-registry.ts";
import { beginRun, type Resumption, resumeRun } from "./run/begin-run.ts";
import type { SupervisorHost } from "./run/run-core.ts";
import { createRunCore, type RunCore } from "./run/run-core.ts";
import { endedFileOf, namedRunFileOf } from "./run/run-files.ts";
import { closeWork, endBrokenRun, endingOfRun, endWholeRun, lastSteps, type RunEnd, type RunParts } from "./run-end.ts";
import { createServices, type Services } from "./services.ts";
import { keepListening, type SocketFileDeps } from "./socket-file.ts";
import { handleWatcher, watcherStanding } from "./watcher-requests.ts";

export class Supervisor {
	readonly directory: string;
	/** Resolves when nothing of the run lives any more. */
	readonly ended: Promise<RunEnd>;
	private readonly core: RunCore;
	private runFile: RunFile;
	private readonly lock: RunLock;
	private readonly services: Services;
	private server: Server | undefined;
	private startedRoot: RootAgent | undefined;
	private stopAsked: Ending | undefined;
	private isAbandoned = false;
	private rootFinish: Extract<FromAgent, { say: "finish" }> | undefined;
	private resolveEnded: (end: RunEnd) => void = () => {};

	/** Makes the run directory, or continues in it; throws AgentreeError when it cannot. */
	constructor(settings: RunSettings, host: SupervisorHost, resumption?: Resumption) {
		const begun = resumption === undefined ? beginRun(settings, host) : resumeRun(settings, resumption, host);
		const { writer } = begun;
		this.runFile = begun.file;
		this.lock = begun.lock;
		this.directory = writer.directory;
		this.core = createRunCore({
			...{ settings, host, writer, state: initialState(begun.state, settings.prices, settings.fallbackModels) },
			dispatch: (input) => this.dispatch(input),
			emit: (event) => (this.isAbandoned || this.run().ended !== undefined ? undefined : this.emit(event)),
			stopRun: (ending, isHurry) => this.stop(ending, isHurry || this.stopAsked !== undefined),
			onBroken: (error) => this.stop({ by: "failure", reason: error.message, exitCode: 1 }),
		});
		this.services = createServices(this.core, {
			messageToRoot: resumption?.message,
			onRootChanged: () => this.rewriteRunFile(),
			closeIdle: () => this.server?.closeIdle() ?? false,
		});
		this.ended = new Promise((resolve) => {
			this.resolveEnded = resolve;
		});
		for (const event of begun.events) this.emit(event);
	}

	run(): RunState {
		return this.core.run;
	}

	/** Listens, then starts the root agent. */
	async start(): Promise<void> {
		const { services } = this;
		const { host: clock, settings, timers } = this.core;
		const file = { path: settings.socket, uid: thisProcess().uid ?? 0, timers };
		const by = { listener: this.clientListener(), key: services.personKey, clock, version: settings.version };
		this.server = await listenOn(file, by);
		this.startedRoot = await startRoot(this.core, services.worktrees, () => this.stopAsked);
		services.monitor.start();
		void this.startedRoot.exited.then((ending) => this.finish(ending));
	}

	clientListener(): ClientListener {
		const { services } = this;
		return {
			onJoin: (connection, join) => void this.handleJoin(connection, join),
			onMessage: (connection, message) => this.handleMessage(connection, message),
			onClose: (connection) => this.handleClose(connection),
			onWatcherMessage: (watcher, message) =>
				handleWatcher(watcher, message, { ...services, core: this.core, rename: (name) => this.rename(name) }),
			...watcherStanding(this.core, services),
			onRefused: (reason, connection) => services.refusedConnections.refused(reason, connection),
			originOf: (hello) => this.core.machine.originOf(hello),
		};
	}

	/** Stops the run. A second stop does not wait for the grace. */
	stop(ending: Ending, isHurry = this.stopAsked !== undefined): void {
		const { root } = this;
		const hasFinished = root !== undefined && isOver(root); // the root is printing, and its reader may be slow
		if (isHurry || hasFinished) void this.core.machine.end(ROOT, { includesAgent: true, isHurry: true });
		this.stopAsked ??= ending;
		if (root === undefined) this.core.machine.killRoot();
		this.dispatch({ is: "stop_asked", agent: ROOT, ending });
	}

	/** The root agent; undefined until it has joined this supervisor, even when the state has it from an earlier one. */
	private get root(): Agent | undefined {
		return this.core.registry.get(ROOT) === undefined ? undefined : this.run().agents[ROOT];
	}

	/** A resumed agent waits until all ends are done: it must not be ended with what its earlier process left. */
	private async handleJoin(connection: AgentConnection, asked: Join): Promise<void> {
		const join = this.services.pendingJoins.accept(connection, asked);
		if (join === undefined) return;
		if (this.root === undefined) await this.readyForRoot();
		if (join.resume !== undefined) await this.core.machine.idle();
		if (join.worktree !== undefined && !(await this.services.pendingJoins.mayHaveWorktree(connection, join))) return;
		const decideNow = () => this.dispatch(this.services.pendingJoins.inputOf(connection, join));
		this.services.places.take(join, () => this.services.pendingJoins.isWaiting(connection) && decideNow());
	}

	private async readyForRoot(): Promise<void> {
		const { surroundings, sandboxes } = this.services;
		await Promise.all([surroundings.looked, sandboxes.ready, this.startedRoot?.isPlaced]);
	}

	private dispatch(input: Input): void {
		if (this.isAbandoned) return;
		const decision = decide(this.core.state, input, this.core.host.now());
		for (const event of decision.events) this.record(event);
		for (const effect of decision.effects) this.perform(effect);
	}

	/** For events that are no outcome of a decision, such as the run's start and end. */
	private emit(event: RunEvent): void {
		const { state } = this.core;
		state.run = reduceInPlace(state.run, event);
		this.record(event);
	}

	private record(event: RunEvent): void {
		const { monitor, snapshots, held, timeLimits } = this.services;
		this.core.journal.event(event, this.core.run);
		for (const each of [monitor, snapshots, held, timeLimits]) each.event(event);
		if (event.event === "agent_ended" || event.event === "turn_cancelled") this.recordEnd(event);
	}

	/** A call that is cancelled may be charged when its agent has ended. */
	private recordEnd({ event, agent }: Extract<RunEvent, { event: "agent_ended" | "turn_cancelled" }>): void {
		const { registry, journal, directory, run } = this.core;
		const isLate = event === "turn_cancelled" && run.agents[agent]?.state.is === "ended";
		const file = isLate ? readableAgentFile(directory, agent) : registry.get(agent)?.file;
		if (file !== undefined) journal.agentFile(endedFileOf(file, run));
		if (event === "agent_ended") registry.ended(agent);
	}

	private perform(effect: Effect): void {
		switch (effect.do) {
			case "admit":
				return this.admit(effect);
			case "refuse":
				return this.services.pendingJoins.refuse(effect);
			case "tell":
				return this.services.exchange.tell(effect.agent, effect.message);
			case "call":
				return this.services.calls.start(effect);
			case "hold_time":
				return this.services.calls.deadlines.hold(effect.agent, effect.isHeld);
			case "freeze":
			case "thaw":
				return this.services.pauser[effect.do](effect.agents);
			case "deliver":
				return this.services.mailbox.deliver(effect);
			case "change":
				return this.services.agentSettings.apply(effect);
			case "call_aside":
				return void this.services.chatRequests.callAside(effect);
			case "cancel_call":
				return this.services.calls.cancel(effect);
			case "end":
				return this.services.exchange.end(effect);
			case "end_after_grace":
				return void this.core.timers.after(
					STOP_MS,
					this.core.registry.ifSame(effect.agent, () =>
						this.core.machine.end(effect.agent, { includesAgent: true, isHurry: true }),
					),
				);
		}
	}

	/** A person has changed what the root works with, and what holds for it is the run's. */
	private rewriteRunFile(): void {
		const { model, limits } = this.run();
		this.runFile = namedRunFileOf({ ...this.runFile, model, limits }, this.run());
		this.core.journal.runFile(this.runFile);
	}

	/** As an event, and in run.json, by which lists know the run. Empty: without a name. */
	private rename(name: string): void {
		const { core } = this;
		core.emit({ event: "run_named", at: core.host.now(), name });
		core.journal.runFile(namedRunFileOf(this.runFile, core.run));
	}

	private admit(effect: EffectOf<"admit">): void {
		this.core.machine.admitted(effect.agent);
		const registered = this.services.pendingJoins.admit(effect);
		if (registered !== undefined) this.services.timeLimits.begin(registered.id);
	}

	private handleMessage(connection: AgentConnection, message: Exclude<FromAgent, Join>): void {
		const agent = this.core.registry.agentOn(connection);
		if (agent === undefined) return;
		if (message.say === "finish" && agent === ROOT) this.rootFinish = message;
		const fault = this.services.exchange.take(agent, message);
		if (fault !== undefined) connection.refuse(fault);
	}

	private handleClose(connection: AgentConnection): void {
		const agent = this.core.registry.disconnect(connection);
		this.services.pendingJoins.remove(connection);
		if (agent === undefined) return;
		this.services.stopper.disconnected(agent);
		this.core.conversations.close(agent);
		this.services.chatRequests.disconnected(agent);
		const lost = this.run().agents[agent];
		if (agent === ROOT || lost === undefined || isOver(lost)) return;
		const cameFirst = !this.core.state.stops.has(agent); // before the cause is found, which takes a while
		const found = Promise.resolve(this.services.worktrees.endingOf(agent) ?? this.core.machine.endingOf(lost));
		void found.then((ending) => this.dispatch({ is: "gone", agent, ending, cameFirst }));
	}

	/** After the exit of the root's process: ends what it left, then the run. */
	private async finish(exit: Ending): Promise<void> {
		this.dispatch({ is: "gone", agent: ROOT, ending: exit });
		const printsAnswer = this.core.settings.rootStdio === "inherit";
		const ending = endingOfRun(this.root, { exit, stopAsked: this.stopAsked, printsAnswer });
		this.core.timers.stop();
		const keeps = this.core.settings.keepsBackground && ending.by === "answer";
		await this.core.machine.idle({ isRunEnding: !keeps });
		const left = await endWholeRun(this.core, { keeps, isHurry: this.stopAsked !== undefined });
		for (const agent of livingAgents(this.run()))
			this.dispatch({ is: "gone", agent, ending: { by: "crashed", reason: "its run ended" } });
		await closeWork(this.services, left);
		if (this.isAbandoned) return;
		const exitCode = exitCodeOf(ending) || (this.startedRoot?.exitStatus() ?? 0);
		const end = { ending, exitCode, ...left, rootFinish: this.rootFinish };
		for (const step of lastSteps(this.parts(), end)) step();
	}

	/** Ends the run because of a bug, or a system that has nothing left for this process: from now on nothing is decided. */
	async abandon(ending: Ending): Promise<void> {
		if (this.isAbandoned) return;
		this.isAbandoned = true;
		await endBrokenRun(this.parts(), ending);
	}

	private parts(): RunParts {
		const { core, services, runFile, lock, server, resolveEnded } = this;
		return { ...services, core, runFile, lock, server, resolveEnded, emit: (event) => this.emit(event) };
	}
}

/** Starts the root agent of a run, in its worktree where it has one: there no variable may tie git to another repository. */
async function startRoot(
	{ settings, machine }: RunCore,
	worktrees: Worktrees,
	stopAsked: () => Ending | undefined,
): Promise<RootAgent> {
	const worktree = await worktrees.beginRoot();
	const stopped = stopAsked();
	if (stopped !== undefined) return notBegun(stopped);
	if (worktree === undefined) return machine.startRoot(settings);
	if (worktree.is === "failed") return notBegun(worktree.ending);
	return machine.startRoot({ ...settings, cwd: worktree.cwd, env: withoutGitTies(settings.env) });
}

/** The run's socket: who connects is a client, which tells and proves its role (clients/client.ts). */

const TICK_MS = 1_000;

export interface Server {
	/** Closes the newcomers that have been here for a second or more. True when there were any. */
	closeIdle(): boolean;
	close(): void;
}

async function listenOn(file: SocketFileDeps, deps: Omit<ConnectedClientsDeps, "maxConnections">): Promise<Server> {
	const descriptors = readDescriptors();
	const most = descriptors === undefined ? Number.POSITIVE_INFINITY : maxConnections(descriptors);
	const clients = new ConnectedClients({ ...deps, maxConnections: most });
	const server = createServer((socket) => clients.add(socket));
	const listening = await keepListening(server, file).catch((error: Error) => {
		throw new AgentreeError(
			"not_writable",
			`cannot listen on the socket ${file.path}: ${error.message}; set XDG_RUNTIME_DIR to a directory you own`,
		);
	});
	server.on("error", () => {}); // one connection could not be accepted, or a later attempt to listen failed, which is known
	const tickLater = () => file.timers.after(TICK_MS, tick);
	const tick = () => {
		clients.tick();
		tickLater();
	};
	tickLater();
	void removeStaleSockets(dirname(file.path));
	return { close: listening.close, closeIdle: () => clients.closeIdle() };
}

/** Removes the sockets of supervisors that were killed, where nobody answers, with the pipes of their commands. */
async function removeStaleSockets(directory: string): Promise<void> {
	for (const name of await readdir(directory).catch(() => [])) {
		if (!name.endsWith(".sock")) continue;
		const socket = connect(join(directory, name));
		socket.once("connect", () => socket.destroy());
		socket.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code !== "ECONNREFUSED") return;
			rmSync(pipesDirectory(join(directory, name)), { recursive: true, force: true });
			for (const path of [proxySocket(join(directory, name)), join(directory, name)]) rmSync(path, { force: true });
		});
	}
}
