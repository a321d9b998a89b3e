/**
 * A living run, for a dashboard that was attached to it. A connection may end while the supervisor lives: then it is made
 * anew, and the new one begins with a snapshot, so nothing is missed. When the supervisor is gone, the run's files tell how
 * the run stands.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunLink } from "../../faces/dashboard/options.ts";
import { answeredAt, isAnswer } from "../../wire/answers.ts";
import { ABSENT_MS, RETRY_MS, reachSupervisor, type Supervisor } from "../../wire/run-client.ts";
import type { WatcherConnection } from "../../wire/watcher-connection.ts";
import type { ActRequest, AnswerRequest, FromWatcher, TalkRequest, ToWatcher } from "../../wire/watcher-messages.ts";

export type Reached =
	| { readonly is: "watching" }
	/** The supervisor is not there any more. */
	| { readonly is: "over" }
	| { readonly is: "refused"; readonly reason: string }
	/** The supervisor lives, and could not be reached in time. `why`: what it does instead. */
	| { readonly is: "unreachable"; readonly why: string };

/** A supervisor that has not answered by then is shown by its files meanwhile: it is suspended, or the machine is busy. */
const SILENT_MS = 1_500;

const INSIDE =
	"this process is inside the run, and agent attach is for people: agent ps, agent show and agent log tell";

export class LivingRun implements RunLink {
	private readonly supervisor: Supervisor;
	private readonly load: () => RunState | undefined;
	private readonly early: ToWatcher[] = [];
	/** What the dashboard wants to hear: the newest message of each kind is said again on a new connection. */
	private readonly wanted = new Map<FromWatcher["say"], FromWatcher>();
	private readonly requests = new OpenRequests();
	private connection: WatcherConnection | undefined;
	private listener: (message: ToWatcher) => void = (message) => void this.early.push(message);
	private closeListener = () => {};
	private isOver = false;

	/** `load`: the state by the run's files; undefined when they cannot be read. `talks`: a person talks with the root here. */
	constructor(supervisor: Supervisor, load: () => RunState | undefined, { talks = false } = {}) {
		this.supervisor = supervisor;
		this.load = load;
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
		const state = this.load();
		if (state !== undefined) this.give({ say: "snapshot", state });
	}

	private give(message: ToWatcher): void {
		if (message.say === "snapshot") this.isOver = message.state.ended !== undefined;
		if (message.say === "event" && message.event.event === "run_ended") this.isOver = true;
		this.listener(message);
		if (message.say === "snapshot") for (const answer of this.requests.answersBy(message.state)) this.listener(answer);
	}
}

type OfAgent = Extract<
	FromWatcher,
	{ say: "proof" | "todo" | "question" | "run_outside" | "outside_ready" | "copy_record" }
>;
const OF_AGENTS: ReadonlySet<string> = new Set<OfAgent["say"]>([
	"proof",
	"todo",
	"question",
	"run_outside",
	"outside_ready",
	"copy_record",
]);

/** What no face says. */
function isOfAgent(message: FromWatcher): message is OfAgent {
	return OF_AGENTS.has(message.say);
}

/**
 * What a watcher has asked its run for and has no answer to yet. When the connection breaks meanwhile, nobody knows
 * whether the run has heard it: what does no harm twice is asked once more, and of a message the next snapshot tells.
 */

type Request = ActRequest | AnswerRequest | TalkRequest;
/** What would do something else if it were said twice. */
type Once = Extract<Request, { say: "send" | "interrupt" | "withdraw" | "compact" | "aside" }>;

const ONCE: ReadonlySet<Request["say"]> = new Set<Once["say"]>(["send", "interrupt", "withdraw", "compact", "aside"]);

class OpenRequests {
	private open: { readonly request: Request; isSaid: boolean }[] = [];
	/** What was said once over a connection that broke before it was answered. */
	private unsure: Once[] = [];

	/** `isSaid`: there is a connection, over which it is said. */
	add(request: Request, isSaid: boolean): void {
		this.open.push({ request, isSaid });
	}

	/** Takes away the request that the message answers, if it answers one. */
	hear(message: ToWatcher): void {
		if (!isAnswer(message)) return;
		const requests = this.open.map(({ request }) => request);
		const at = answeredAt(requests, message);
		if (at >= 0) this.open.splice(at, 1);
	}

	/** What has to be said on a connection that was made anew. */
	again(): readonly Request[] {
		this.unsure.push(...this.open.flatMap(({ request, isSaid }) => (isSaid && isOnce(request) ? [request] : [])));
		this.open = this.open
			.filter(({ request, isSaid }) => !isSaid || !isOnce(request))
			.map(({ request }) => ({ request, isSaid: true }));
		return this.open.map(({ request }) => request);
	}

	/** The answers to messages of which nobody knows whether they were heard: those that still wait in the state were. */
	answersBy({ agents }: RunState): readonly ToWatcher[] {
		return this.unsure.splice(0).map((request) => {
			const { agent } = request;
			if (request.say !== "send")
				return { say: "refused", reason: `the link broke: say it again, if ${agent} goes on` };
			const { text } = request;
			const isWaiting = agents[agent]?.messages?.some((message) => message.from === null && message.text === text);
			if (isWaiting) return { say: "sent", agent, arrives: "next_call" };
			return {
				say: "refused",
				reason: `the link broke: whether ${agent} gets the message is not known, see its history`,
			};
		});
	}
}

function isOnce(request: Request): request is Once {
	return ONCE.has(request.say);
}
