/**
 * One client for all that ask a supervisor for something. It connects with patience, says what it wants, and gives up in one way:
 * when the connection is lost, when the supervisor is silent for too long, or when the process table shows that it is suspended or dead.
 * That there is no answer says nothing about the run.
 */
import type { Clock } from "../core/clock.ts";
import { AgentreeError } from "../core/errors.ts";
import type { OnWelcome, WatcherConnection } from "./person-connection.ts";
import type { FromWatcher, ToWatcher } from "./watcher-messages.ts";

/** What a terminal hears of a run, and where it says what its user wants. */
export type RunLink = Pick<WatcherConnection, "send" | "onMessage" | "onClose" | "close">;

/** A run's supervisor, as another process reaches it. */
export interface Supervisor {
	/** Rejects with the error of the socket. */
	connect(onWelcome?: OnWelcome): Promise<WatcherConnection>;
	/** Its process, as the process table shows it now. `elsewhere`: it cannot be seen from here. */
	look(): "alive" | "suspended" | "dead" | "elsewhere";
	readonly after: Clock["after"];
}

export interface NoAnswer {
	readonly is: "no_answer";
	/** `forbidden`: the system lets this user not connect. */
	readonly because: "unreachable" | "forbidden" | "closed" | "suspended" | "silent" | "aborted";
	/** What the supervisor does instead of answering: `has closed the connection`. */
	readonly why: string;
}

export interface Refused {
	readonly is: "refused";
	/** The supervisor has said something before: it knows who asks. */
	readonly isLetIn: boolean;
	readonly reason: string;
}

export type Outcome<T> = { readonly is: "answer"; readonly answer: T } | Refused | NoAnswer;

/** The answer. Throws AgentreeError("refused") with the supervisor's reason, and for none what `otherwise` makes of it. */
export function answerOf<T>(outcome: Outcome<T>, otherwise: (none: NoAnswer) => AgentreeError): T {
	switch (outcome.is) {
		case "answer":
			return outcome.answer;
		case "refused":
			throw new AgentreeError("refused", outcome.reason);
		case "no_answer":
			throw otherwise(outcome);
	}
}

/** How long a living supervisor may take to make a socket again that was removed. */
export const ABSENT_MS = 2_500;
/** So long may an answer take without a word to the person who waits for it. */
const SLOW_MS = 1_500;
export const RETRY_MS = 100;
const LOOK_MS = 500;
const NO_RIGHTS: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);

export interface Patience {
	/** How long to try again while the supervisor lives. */
	readonly patienceMs?: number;
	/** Called once, when connecting, or the first answer, takes long. */
	readonly onSlow?: () => void;
	readonly onWelcome?: OnWelcome;
}

/** Waits for a socket that is made again, and for a supervisor whose queue of connections is full (EAGAIN). */
export async function reachSupervisor(
	supervisor: Supervisor,
	{ patienceMs = ABSENT_MS, onSlow, onWelcome }: Patience = {},
): Promise<WatcherConnection | NoAnswer> {
	for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
		try {
			return await supervisor.connect(onWelcome);
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			if (NO_RIGHTS.has(code)) return noAnswer("forbidden", `cannot be reached (${message})`);
			const seen = supervisor.look();
			if (waitedMs >= patienceMs || seen === "dead" || seen === "suspended")
				return noAnswer("unreachable", `cannot be reached (${message})`);
			if (waitedMs === SLOW_MS) onSlow?.();
			await new Promise<void>((done) => void supervisor.after(RETRY_MS, done));
		}
	}
}

export interface Conversation<A> {
	/** Said once the supervisor lets this process in. */
	readonly say: readonly FromWatcher[];
	/** The answer; undefined for a message after which another one comes. `say`: says more. */
	hear(message: ToWatcher, say: (more: FromWatcher) => void): A | undefined;
	/** How long the supervisor may say nothing, from now on. Absent: there is no hurry, even when it is suspended. */
	patienceMs?(): number;
	/** Called now and then with how long the supervisor has said nothing; may give the answer. */
	look?(silentMs: number, passedMs: number): A | undefined;
	/** What the end of the connection means, if what was said before tells that. */
	closed?(): A | undefined;
	/** Gives up. */
	readonly signal?: AbortSignal | undefined;
}

/** Connects, says what is to be said, and closes the connection when there is an answer or none will come. Rejects with what `hear` throws. */
export async function askSupervisor<A>(
	supervisor: Supervisor,
	conversation: Conversation<A>,
	patience: Patience = {},
): Promise<Outcome<A>> {
	const connection = await reachSupervisor(supervisor, patience);
	if ("is" in connection) return connection;
	try {
		return await new Promise((settle, reject) => {
			new Dialogue({ supervisor, connection, conversation, patience }, settle, reject).begin();
		});
	} finally {
		connection.close();
	}
}

interface DialogueWith<A> {
	readonly supervisor: Supervisor;
	readonly connection: WatcherConnection;
	readonly conversation: Conversation<A>;
	readonly patience: Patience;
}

/** Its time is counted in looks: while this process itself is suspended none passes. */
class Dialogue<A> {
	private readonly with: DialogueWith<A>;
	private readonly settle: (outcome: Outcome<A>) => void;
	private readonly reject: (error: unknown) => void;
	private isOver = false;
	private hasHeard = false;
	private silentMs = 0;
	private suspendedLooks = 0;
	private callOffLook = () => {};

	constructor(dialogue: DialogueWith<A>, settle: (outcome: Outcome<A>) => void, reject: (error: unknown) => void) {
		this.with = dialogue;
		this.settle = settle;
		this.reject = reject;
	}

	begin(): void {
		const { connection, conversation } = this.with;
		conversation.signal?.addEventListener("abort", this.abort);
		connection.onMessage((message) => this.hear(message));
		const closed = noAnswer("closed", "has closed the connection");
		connection.onClose(() => this.attempt(() => conversation.closed?.(), closed));
		for (const message of conversation.say) connection.send(message);
		if (conversation.signal?.aborted) this.abort();
		if (conversation.patienceMs !== undefined || conversation.look !== undefined) this.waitForLook();
	}

	private readonly abort = () => this.end(noAnswer("aborted", "was not waited for"));

	private hear(message: ToWatcher): void {
		const { conversation, connection } = this.with;
		this.silentMs = 0;
		if (message.say === "refused") return this.end({ is: "refused", isLetIn: this.hasHeard, reason: message.reason });
		this.hasHeard = true;
		this.attempt(() => conversation.hear(message, (more) => connection.send(more)));
	}

	private waitForLook(): void {
		this.callOffLook = this.with.supervisor.after(LOOK_MS, () => {
			this.look();
			if (!this.isOver) this.waitForLook();
		});
	}

	/** A single look may see a debugger, or a short stop: so two in a row count. */
	private look(): void {
		const { supervisor, conversation, patience } = this.with;
		this.silentMs += LOOK_MS;
		if (!this.hasHeard && this.silentMs === SLOW_MS) patience.onSlow?.();
		this.attempt(() => conversation.look?.(this.silentMs, LOOK_MS));
		if (conversation.patienceMs === undefined || this.isOver) return;
		this.suspendedLooks = supervisor.look() === "suspended" ? this.suspendedLooks + 1 : 0;
		if (this.suspendedLooks === 2) return this.end(noAnswer("suspended", "is suspended"));
		const patienceMs = conversation.patienceMs();
		if (this.silentMs >= patienceMs) this.end(noAnswer("silent", `has not replied for ${patienceMs / 1_000} s`));
	}

	private attempt(find: () => A | undefined, otherwise?: NoAnswer): void {
		if (this.isOver) return;
		try {
			const answer = find();
			if (answer !== undefined) this.end({ is: "answer", answer });
			else if (otherwise !== undefined) this.end(otherwise);
		} catch (error) {
			this.over();
			this.reject(error);
		}
	}

	private end(outcome: Outcome<A>): void {
		if (this.isOver) return;
		this.over();
		this.settle(outcome);
	}

	private over(): void {
		this.isOver = true;
		this.callOffLook();
		this.with.conversation.signal?.removeEventListener("abort", this.abort);
	}
}

function noAnswer(because: NoAnswer["because"], why: string): NoAnswer {
	return { is: "no_answer", because, why };
}
