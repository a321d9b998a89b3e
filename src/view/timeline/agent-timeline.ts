/**
 * What one agent did over time, and what was done to it: waits for a slot, turns, commands, pauses, messages; made of its events, in
 * order. All times are milliseconds since the epoch. Pure.
 */
import type { CommandEnd } from "../../core/command.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/told-message.ts";
import type { Usage } from "../../core/model/usage.ts";
import type { RunEvent } from "../../core/run/run-event.ts";

export interface Interval {
	readonly from: number;
	/** Never before `from`, though the system's time may have been set back meanwhile. */
	readonly to: number;
}

/** How a call to the model was over. `cut_off`: its agent ended first. */
export type TurnEnd =
	| { readonly by: "answer"; readonly stopReason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "failure"; readonly reason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cancelled"; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cut_off" };

/** `from` to `to`: the call broke, and was made again after so long. */
export interface RetrySpan extends Interval {
	readonly attempt: number;
	readonly reason: string;
}

export interface TurnSpan extends Interval {
	readonly turn: number;
	readonly purpose?: "compaction" | undefined;
	readonly retries: readonly RetrySpan[];
	/** Undefined while the call is under way. */
	readonly end: TurnEnd | undefined;
}

export interface CommandSpan extends Interval {
	readonly command: number;
	readonly toolUseId: string | undefined;
	/** In one line, cut to 500 characters. */
	readonly text: string;
	/** Path of its output below the agent's directory. */
	readonly log: string;
	/** When it had living child agents. */
	readonly waits: readonly Interval[];
	/** Undefined while it runs, and when its agent ended first. */
	readonly end: CommandEnd | undefined;
	readonly outputBytes: number | undefined;
	/** The child agents that it started, or took up again. */
	readonly children: readonly AgentId[];
}

/** The agent got no call, whatever it did; `isHard`: its commands were frozen, too. */
export interface PauseSpan extends Interval {
	readonly isHard: boolean;
}

/** From when the message was sent until the agent got it. */
export interface MessageSpan extends Interval {
	/** Who has sent it. */
	readonly sender: Sender;
	readonly text: string;
	/** False while the message waits, also for an agent that has ended. */
	readonly isDelivered: boolean;
}

export interface AgentTimeline {
	readonly queued: readonly Interval[];
	readonly turns: readonly TurnSpan[];
	readonly commands: readonly CommandSpan[];
	/** One behind the other. */
	readonly pauses: readonly PauseSpan[];
	/** In the order in which they were sent. */
	readonly messages: readonly MessageSpan[];
}

type TurnEvent = Extract<
	RunEvent,
	{ event: "turn_started" | "turn_retrying" | "turn_ended" | "turn_failed" | "turn_cancelled" }
>;
export type TurnEndEvent = Extract<TurnEvent, { event: "turn_ended" | "turn_failed" | "turn_cancelled" }>;
type Open<T> = { -readonly [K in keyof T]: T[K] } & { isOpen: boolean };
type OpenTurn = Open<Omit<TurnSpan, "retries">> & { retries: RetrySpan[] };
type OpenCommand = Open<Omit<CommandSpan, "waits" | "children">>;
type MessageEvent = Extract<RunEvent, { event: "message_sent" | "message_delivered" | "message_withdrawn" }>;

/** The children of one command. They may join before the message about their command comes. */
interface Children {
	readonly started: Set<AgentId>;
	readonly living: Set<AgentId>;
	readonly waits: Open<Interval>[];
}

export class TimelineBuilder {
	private readonly queues: Open<Interval>[] = [];
	private readonly turns: OpenTurn[] = [];
	private readonly commands = new Map<number, OpenCommand>();
	private readonly children = new Map<number, Children>();
	private readonly pauses: Open<PauseSpan>[] = [];
	private messages: Open<MessageSpan>[] = [];
	private endedAt: number | undefined;

	/** An event of the agent itself; one that takes no time changes nothing. */
	take(event: RunEvent): void {
		if (event.event === "turn_queued") this.queued(event.at);
		if (isTurn(event)) this.turn(event);
		if (event.event === "command_started" || event.event === "command_ended") this.command(event);
		if (isMessage(event)) this.message(event);
	}

	queued(at: number): void {
		this.endQueue(at);
		this.endedAt = undefined;
		this.queues.push({ from: at, to: at, isOpen: true });
	}

	turn(event: TurnEvent): void {
		const { at, turn } = event;
		if (event.event === "turn_started") {
			this.endQueue(at);
			const { purpose } = event;
			this.turns.push({ from: at, to: at, isOpen: true, turn, purpose, retries: [], end: undefined });
			return;
		}
		const open = this.turns.at(-1);
		if (open?.turn !== turn) return;
		if (event.event === "turn_retrying") {
			const { attempt, reason, waitMs } = event;
			if (open.isOpen) open.retries.push({ from: at, to: at + waitMs, attempt, reason });
			return;
		}
		open.end = turnEndOf(event);
		close(open, at);
	}

	command(event: Extract<RunEvent, { event: "command_started" | "command_ended" }>): void {
		const { at, command } = event;
		if (event.event === "command_started") {
			const { text, log, toolUseId } = event;
			const open = { from: at, to: at, isOpen: true, command, toolUseId, text, log };
			this.commands.set(command, { ...open, end: undefined, outputBytes: undefined });
			return;
		}
		const open = this.commands.get(command);
		if (open === undefined) return;
		open.end = event.end;
		open.outputBytes = event.outputBytes;
		close(open, at);
	}

	childJoined(child: AgentId, command: number, at: number): void {
		const children = this.children.get(command) ?? { started: new Set(), living: new Set(), waits: [] };
		this.children.set(command, children);
		children.started.add(child);
		if (children.living.size === 0) children.waits.push({ from: at, to: at, isOpen: true });
		children.living.add(child);
	}

	childEnded(child: AgentId, at: number): void {
		for (const { living, waits } of this.children.values())
			if (living.delete(child) && living.size === 0) closeAll(waits, at);
	}

	/** A pause that is set anew goes on; one that becomes hard, or no longer is, is another one. */
	paused(at: number, isHard: boolean): void {
		const last = this.pauses.at(-1);
		if (last?.isOpen && last.isHard === isHard) return;
		this.continued(at);
		this.pauses.push({ from: at, to: at, isOpen: true, isHard });
	}

	continued(at: number): void {
		closeAll(this.pauses, at);
	}

	message(event: MessageEvent): void {
		const { at } = event;
		if (event.event === "message_sent") {
			const { from: sender, text } = event;
			this.messages.push({ from: at, to: at, isOpen: true, sender, text, isDelivered: false });
			return;
		}
		if (event.event === "message_withdrawn") return this.withdrawn();
		for (const message of this.messages.filter(({ isOpen }) => isOpen).slice(0, event.messages)) {
			message.isDelivered = true;
			close(message, at);
		}
	}

	/** The newest message of a person that waits was taken back: it is as if it had not been sent. */
	private withdrawn(): void {
		const at = this.messages.findLastIndex(({ isOpen, sender }) => isOpen && sender === null);
		if (at >= 0) this.messages.splice(at, 1);
	}

	/** The agent was copied to another run: what waits for it there does not wait for the copy. */
	copied(): void {
		this.messages = this.messages.filter(({ isOpen }) => !isOpen);
	}

	ended(at: number): void {
		this.endQueue(at);
		this.continued(at);
		this.endedAt = at; // a message may still be delivered: when the agent is resumed
		for (const turn of this.turns) if (turn.isOpen) turn.end = { by: "cut_off" };
		closeAll(this.turns, at);
		closeAll([...this.commands.values()], at);
	}

	/** What is open goes on until `until`. */
	build(until: number): AgentTimeline {
		return {
			queued: this.queues.map((queue) => closed(queue, until)),
			turns: this.turns.map((turn) => builtTurn(turn, until)),
			commands: [...this.commands.values()].map((command) => this.builtCommand(command, until)),
			pauses: this.pauses.map((pause) => closed(pause, until)),
			messages: this.messages.map((message) => closed(message, this.endedAt ?? until)),
		};
	}

	private builtCommand(open: OpenCommand, until: number): CommandSpan {
		const command = closed(open, until);
		const { waits = [], started = [] } = this.children.get(command.command) ?? {};
		const closedWaits = waits.map((wait) => closed(wait, until));
		return { ...command, waits: inside(command, closedWaits), children: [...started] };
	}

	private endQueue(at: number): void {
		closeAll(this.queues, at);
	}
}

function isTurn(event: RunEvent): event is TurnEvent {
	return /^turn_(started|retrying|ended|failed|cancelled)$/.test(event.event);
}

function isMessage(event: RunEvent): event is MessageEvent {
	return /^message_(sent|delivered|withdrawn)$/.test(event.event);
}

function builtTurn(open: OpenTurn, until: number): TurnSpan {
	const turn = closed(open, until);
	return { ...turn, retries: inside(turn, turn.retries) };
}

export function turnEndOf(event: TurnEndEvent): TurnEnd {
	const { usage, costUsd } = event;
	switch (event.event) {
		case "turn_ended":
			return { by: "answer", stopReason: event.stopReason, usage, costUsd };
		case "turn_failed":
			return { by: "failure", reason: event.reason, usage, costUsd };
		case "turn_cancelled":
			return { by: "cancelled", usage, costUsd };
	}
}

/** The spans as far as they lie within `outer` and behind one another; those of which nothing does are left out. */
function inside<T extends Interval>(outer: Interval, spans: readonly T[]): T[] {
	let from = outer.from;
	return spans.flatMap((span) => {
		const part = { ...span, from: Math.max(from, span.from), to: Math.min(outer.to, span.to) };
		if (part.to <= part.from) return [];
		from = part.to;
		return [part];
	});
}

function closed<T extends Open<Interval>>(span: T, until: number): Omit<T, "isOpen"> {
	const { isOpen, ...rest } = span;
	return isOpen ? { ...rest, to: Math.max(rest.from, until) } : rest;
}

function closeAll(spans: readonly Open<Interval>[], at: number): void {
	for (const span of spans) close(span, at);
}

function close(span: Open<Interval>, at: number): void {
	if (!span.isOpen) return;
	span.isOpen = false;
	span.to = Math.max(span.from, at);
}
