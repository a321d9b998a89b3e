/**
 * What links a terminal to a run that it watches: the run's supervisor while that lives, else the run's files. A connection may end
 * while the supervisor lives: then it is made again, and the new one begins with a snapshot, so nothing is missed.
 */
import { statSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";
import type { AgentId } from "../core/model/agent.ts";
import type { RunState } from "../core/run/run-state.ts";
import { isOfAgent, OpenRequests } from "../wire/open-requests.ts";
import type { WatcherConnection } from "../wire/person-connection.ts";
import { ABSENT_MS, RETRY_MS, type RunLink, reachSupervisor, type Supervisor } from "../wire/run-client.ts";
import type { FromWatcher, ToWatcher } from "../wire/watcher-messages.ts";
import { orUndefined, readRunFile } from "./read-run.ts";
import type { RecordedRun } from "./run-source.ts";
import { supervisorAt, supervisorProcess } from "./supervisor-process.ts";

const ROOT_UID = 0;

export interface Watching {
	/** The user who watches. */
	readonly uid: number;
	/** A person talks with the root of a conversation. */
	readonly talks?: boolean;
	/** Gets what of the files cannot be read. */
	readonly warn: (damage: readonly string[]) => void;
}

/**
 * Throws AgentreeError: `refused` when the run is not this user's; `out_of_reach` when its supervisor lives and does not
 * answer.
 */
export async function linkToRun(
	source: RecordedRun,
	{ uid, talks = false, warn }: Watching,
): Promise<RunLink | LivingRun> {
	const { run, directory } = source;
	const file = readRunFile(directory);
	const look = () => supervisorProcess(source, file).is;
	const recorded = () => {
		const { state, damage } = source.snapshot();
		warn(damage);
		return recordedLink(state);
	};
	if (file.endedAt !== undefined || look() === "dead") return recorded();
	requireOwner(source, uid);
	const living = new LivingRun(supervisorAt(file.socket, look), source, { talks });
	const reached = await living.open();
	switch (reached.is) {
		case "watching":
			return living;
		case "over":
			return recorded();
		case "refused":
			throw new AgentreeError("refused", `run ${run} refused to be watched: ${reached.reason}`);
		case "unreachable":
			throw new AgentreeError(
				"out_of_reach",
				`run ${run} is alive, and ${reached.why}: agent show ${run} --follow, or agent log ${run} --follow`,
			);
	}
}

/** The socket of another user's run is closed to this one. The system's root may do everything. */
function requireOwner({ run, directory }: RecordedRun, uid: number): void {
	const owner = statSync(directory, { throwIfNoEntry: false })?.uid;
	if (owner === undefined || owner === uid || uid === ROOT_UID) return;
	throw new AgentreeError(
		"refused",
		`run ${run} belongs to user ${owner}, and you are ${uid}: only its owner can attach to it`,
	);
}

/** Of a run that is over: its files tell the whole, once. */
function recordedLink(state: RunState): RunLink {
	let listener: (message: ToWatcher) => void = () => {};
	return {
		onMessage: (next) => {
			listener = next;
		},
		onClose: () => {},
		send: ({ say }) => {
			if (say === "watch") listener({ say: "snapshot", state });
		},
		close: () => {},
	};
}

export type Reached =
	| { readonly is: "watching" }
	/** The supervisor is not there any more. */
	| { readonly is: "over" }
	| { readonly is: "refused"; readonly reason: string }
	/** The supervisor lives, and could not be reached in time. `why`: what it does instead. */
	| { readonly is: "unreachable"; readonly why: string };

/** A supervisor that has not answered by then is shown by its files meanwhile: it is suspended, or the machine is busy. */
const SILENT_MS = 1_500;

const INSIDE = "agent attach does not work inside a run; use agent ps, agent show or agent log";

export class LivingRun implements RunLink {
	private readonly supervisor: Supervisor;
	private readonly source: Pick<RecordedRun, "snapshot">;
	private readonly early: ToWatcher[] = [];
	/** What the dashboard wants to hear: the newest message of each kind is said again on a new connection. */
	private readonly wanted = new Map<FromWatcher["say"], FromWatcher>();
	private readonly requests = new OpenRequests();
	private connection: WatcherConnection | undefined;
	private listener: (message: ToWatcher) => void = (message) => void this.early.push(message);
	private closeListener = () => {};
	private isOver = false;

	/** `talks`: a person talks with the root here. */
	constructor(supervisor: Supervisor, source: Pick<RecordedRun, "snapshot">, { talks = false } = {}) {
		this.supervisor = supervisor;
		this.source = source;
		this.wanted.set("watch", { say: "watch", activity: true, ...(talks && { talks: true }) });
	}

	/** Resolves once it is known whether the run can be watched; what it tells is kept for the listener. */
	open(): Promise<Reached> {
		return this.reach(ABSENT_MS);
	}

	onMessage(listener: (message: ToWatcher) => void): void {
		this.listener = listener;
		for (const message of this.early.splice(0)) listener(message);
	}

	onClose(listener: () => void): void {
		this.closeListener = listener;
	}

	send(message: FromWatcher): void {
		if (message.say === "watch" || message.say === "focus") this.wanted.set(message.say, message);
		else if (!isOfAgent(message)) this.requests.add(message, this.connection !== undefined);
		if (message.say !== "watch") this.connection?.send(message); // that was said when the connection was made
	}

	close(): void {
		this.isOver = true;
		this.connection?.close();
	}

	private async reach(patienceMs: number): Promise<Reached> {
		for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
			const reached = await this.tryOnce();
			if (reached.is !== "unreachable") return reached;
			if (this.supervisor.look() === "dead") return { is: "over" };
			if (waitedMs >= patienceMs) return reached;
			await this.wait();
		}
	}

	private async tryOnce(): Promise<Reached> {
		let inside = false;
		const onWelcome = (agent: AgentId | null) => {
			inside = agent !== null;
		};
		const connection = await reachSupervisor(this.supervisor, { patienceMs: 0, onWelcome });
		if (!("is" in connection)) return this.greet(connection, () => inside);
		const { because, why } = connection;
		return because === "forbidden" ? { is: "refused", reason: why } : { is: "unreachable", why };
	}

	/** Settles with the first word of the supervisor, or when it has said none for a while. */
	private greet(connection: WatcherConnection, isInside: () => boolean): Promise<Reached> {
		return new Promise((resolve) => {
			let isSettled = false;
			let isHeard = false;
			const settle = (reached: Reached) => {
				if (isSettled && reached.is === "watching") return;
				isSettled = true;
				callOff();
				if (reached.is === "watching") this.use(connection);
				else connection.close();
				resolve(reached);
			};
			const callOff = this.supervisor.after(SILENT_MS, () => {
				settle({ is: "watching" });
				this.giveFiles();
			});
			connection.onClose(() => {
				if (this.connection === connection) return void this.connectAgain();
				settle({ is: "unreachable", why: "closes the connection" });
			});
			connection.onMessage((message) => {
				if (message.say === "refused" && !isHeard) return settle({ is: "refused", reason: message.reason });
				if (isInside()) return settle({ is: "refused", reason: INSIDE });
				isHeard = true;
				settle({ is: "watching" });
				this.requests.hear(message);
				this.give(message);
			});
			for (const message of this.wanted.values()) connection.send(message);
		});
	}

	private use(connection: WatcherConnection): void {
		this.connection = connection;
		for (const request of this.requests.again()) connection.send(request);
	}

	private async connectAgain(): Promise<void> {
		this.connection = undefined;
		if (this.isOver) return;
		await this.wait(); // a killed process closes its sockets a moment before it is seen to be dead
		const reached = await this.reach(Number.POSITIVE_INFINITY);
		if (reached.is === "watching") return;
		this.giveFiles();
		if (!this.isOver) this.closeListener();
	}

	private wait(): Promise<void> {
		return new Promise((done) => void this.supervisor.after(RETRY_MS, done));
	}

	private giveFiles(): void {
		const found = orUndefined(() => this.source.snapshot());
		if (found !== undefined) this.give({ say: "snapshot", state: found.state });
	}

	private give(message: ToWatcher): void {
		if (message.say === "snapshot") this.isOver = message.state.ended !== undefined;
		if (message.say === "event" && message.event.event === "run_ended") this.isOver = true;
		this.listener(message);
		if (message.say === "snapshot") for (const answer of this.requests.answersBy(message.state)) this.listener(answer);
	}
}
