/**
 * Asks a run's supervisor for a stop, over the run's socket. Only what the supervisor says counts as an answer. A
 * connection that ends, a supervisor that is suspended, and one that says nothing for long give none.
 */
import { type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { EMPTY_RUN, livingAgents, livingWithin, type RunState, reduce } from "../../core/run/run-state.ts";
import { describeEnding } from "../../text/states.ts";
import type { WatcherConnection } from "../../wire/watcher-connection.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { type ConnectRequest, connectToRun, type Silent, SLOW_MS } from "./connect-to-run.ts";

export type Answer =
	/** The run has no such agent. */
	| { readonly is: "unknown" }
	| { readonly is: "over"; readonly how: string }
	/** Whoever asks may not stop it; or, if not `isLetIn`, could not prove who it is. */
	| { readonly is: "refused"; readonly isLetIn: boolean; readonly reason: string }
	| { readonly is: "stopped"; readonly agents: number; readonly survivors: readonly number[] }
	| NoAnswer;

export type NoAnswer =
	/** The connection has ended, which says nothing of the run. */
	{ readonly is: "closed" } | { readonly is: "suspended" } | Silent;

export interface StopRequest extends ConnectRequest {
	readonly agent: AgentId;
	readonly isKill: boolean;
	/** Called now and then while the stop goes on, with the agents that are still alive. */
	readonly onStopping?: (stoppingMs: number, alive: readonly AgentId[]) => void;
}

const LOOK_MS = 500;
const FIRST_ANSWER_MS = 4_000; // it takes milliseconds, or a second where a storm of processes takes all processors
const SILENCE_MS = 10_000; // a stop itself is silent for 5.5 s at most, while agents have their grace (docs/guarantees.md)
const EXIT_MS = 3_000; // from the last event to the end of the process, which may still print the answer

export async function askSupervisor(request: StopRequest): Promise<Answer> {
	const connection = await connectToRun(request);
	if ("is" in connection) return connection;
	try {
		return await ask(connection, request);
	} finally {
		connection.close();
	}
}

function ask(connection: WatcherConnection, request: StopRequest): Promise<Answer> {
	return new Promise((resolve) => {
		const dialogue = new Dialogue(connection, request, (answer) => {
			clearInterval(watching);
			resolve(answer);
		});
		const watching = setInterval(() => dialogue.look(LOOK_MS), LOOK_MS);
	});
}

/** From the first message to the one answer. Its time is counted in looks: while this process is suspended itself none passes. */
export class Dialogue {
	private readonly connection: WatcherConnection;
	private readonly request: StopRequest;
	private readonly answer: (answer: Answer) => void;
	private state: RunState | undefined;
	private agents = 0;
	private silentMs = 0;
	private stoppingMs = 0;
	private suspendedLooks = 0;

	constructor(connection: WatcherConnection, request: StopRequest, answer: (answer: Answer) => void) {
		this.connection = connection;
		this.request = request;
		this.answer = answer;
		connection.onClose(() => this.closed());
		connection.onMessage((message) => this.receive(message));
		connection.send({ say: "watch" });
	}

	/** A single look may see a debugger, or a short stop: so two in a row count. */
	look(passedMs: number): void {
		this.silentMs += passedMs;
		this.suspendedLooks = this.request.isSuspended() ? this.suspendedLooks + 1 : 0;
		if (this.suspendedLooks === 2) return this.answer({ is: "suspended" });
		if (this.state === undefined && this.silentMs === SLOW_MS) this.request.onSlow();
		this.tellProgress(passedMs);
		if (this.hasEnded() && this.silentMs >= EXIT_MS) return this.closed();
		const patienceMs = this.state === undefined ? FIRST_ANSWER_MS : SILENCE_MS;
		if (this.silentMs >= patienceMs) this.answer({ is: "silent", why: `has said nothing for ${patienceMs / 1_000} s` });
	}

	private tellProgress(passedMs: number): void {
		if (this.state === undefined || this.hasEnded()) return;
		this.stoppingMs += passedMs;
		this.request.onStopping?.(this.stoppingMs, livingWithin(this.state, this.request.agent));
	}

	private receive(message: ToWatcher): void {
		this.silentMs = 0;
		if (message.say === "event") this.state = reduce(this.state ?? EMPTY_RUN, message.event);
		if (message.say === "stopped" && message.agent === this.request.agent)
			this.answer({ is: "stopped", agents: this.agents, survivors: message.survivors });
		if (message.say === "refused")
			this.answer({ is: "refused", isLetIn: this.state !== undefined, reason: message.reason });
		if (message.say === "snapshot") this.begin(message.state, message.within);
	}

	/** `within`: all others are not shown here, and that they may not be stopped is the supervisor's to say. */
	private begin(state: RunState, within: AgentId = ROOT): void {
		const { agent, isKill } = this.request;
		this.state = state;
		const found = state.agents[agent];
		if (agent !== ROOT && found === undefined && isWithin(agent, within)) return this.answer({ is: "unknown" });
		if (agent !== ROOT && found !== undefined && isOver(found))
			return this.answer({ is: "over", how: describeEnding(found.state.ending) });
		this.agents = livingAgents(state).filter((id) => isWithin(id, agent)).length;
		const reason = isKill ? "agent stop --now" : "agent stop";
		this.connection.send({ say: "stop_agent", agent, reason, signal: isKill ? 9 : 15, isHurry: isKill });
	}

	private hasEnded(): boolean {
		return this.state?.ended !== undefined;
	}

	/** A supervisor tells the end of its run before it goes. */
	private closed(): void {
		const ended = this.state?.ended;
		if (ended === undefined) return this.answer({ is: "closed" });
		this.answer({ is: "stopped", agents: this.agents, survivors: ended.survivors });
	}
}
