/** A conversation that is told what happens, for tests of what it shows. */

import { DEFAULT_LIMITS } from "../../../../../src/core/limits/limits.ts";
import { ROOT } from "../../../../../src/core/model/agent.ts";
import type { AssistantBlock } from "../../../../../src/core/model/message.ts";
import type { ModelDelta } from "../../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../../src/core/model/usage.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import type { CommandRecord } from "../../../../../src/core/schemas/transcript.ts";
import { type FeedUpdate, Output } from "../../../../../src/faces/chat/output/output.ts";
import type { Line } from "../../../../../src/tui/text/line.ts";

type WithoutTime<T> = T extends unknown ? Omit<T, "at"> : never;
export type Happened = WithoutTime<RunEvent>;

export const textOf = (line: Line): string =>
	line
		.map(({ text }) => text)
		.join("")
		.trimEnd();
/** Each text behind its style, but for plain ones. */
export const styledOf = (line: Line): string =>
	line.map(({ text, style }) => (style === "plain" || text === "" ? text : `<${style} ${text}>`)).join("");

const USAGE = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
const CHARGE = { usage: USAGE, costUsd: 0.01 };

export class Scenario {
	readonly lines: Line[] = [];
	readonly output: Output;
	run: RunState = EMPTY_RUN;
	now = 1_000_000;
	private commands = 0;

	constructor(columns = 60) {
		this.output = new Output(() => columns);
		this.event({
			...{ event: "run_started", run: "20261127-201530-k3f9", task: "t", cwd: "/x", model: "model-x" },
			...{ limits: DEFAULT_LIMITS, pid: 1, startTime: "1", version: "" },
		});
		this.joins(ROOT, "t");
	}

	get texts(): string[] {
		return this.lines.map(textOf);
	}

	live(room = 12, heldSince: ReadonlyMap<string, number> = new Map()): string[] {
		return this.output.live(this.run, { now: this.now, heldSince }, room).map(textOf);
	}

	update(update: FeedUpdate): void {
		this.lines.push(...this.output.update(update, this.run));
	}

	event(happened: Happened, answer?: string): void {
		const event = { ...happened, at: this.now } as RunEvent;
		this.run = reduce(this.run, event);
		this.update({ is: "event", event, answer });
	}

	joins(agent: string, task: string): void {
		this.event({
			...{ event: "agent_joined", agent, pid: 2, startTime: "1", task, model: "model-x", limits: DEFAULT_LIMITS },
			...(agent === ROOT ? { windowTokens: 200_000 } : { command: this.commands }),
		});
	}

	/** Words of the person, or of `from`; null for what comes from nobody. */
	said(text: string, from: string | null = "person"): void {
		const entry = { role: "user" as const, content: [{ type: "text" as const, text }], at: this.now };
		this.update({ is: "entry", entry: { ...entry, ...(from !== null && { from }) } });
	}

	turn(turn: number, agent = ROOT): void {
		this.event({ event: "turn_started", agent, turn, isLast: false });
	}

	streams(turn: number, text: string, kind: ModelDelta["kind"] = "text", block = 0): void {
		this.update({ is: "delta", turn, delta: { kind, text, block } });
	}

	answers(turn: number, content: AssistantBlock[], stopReason = "end_turn"): void {
		const entry = { role: "assistant" as const, content, at: this.now, turn, model: "model-x", stopReason };
		this.update({ is: "entry", entry: { ...entry, ...CHARGE } });
		this.event({ event: "turn_ended", agent: ROOT, turn, stopReason, ...CHARGE });
	}

	/** The number of the command. */
	starts(text: string, toolUseId?: string): number {
		const command = ++this.commands;
		const log = `out/000${command}.log`;
		const start = { command, text, pid: 3, startTime: "1", log, ...(toolUseId !== undefined && { toolUseId }) };
		this.event({ event: "command_started", agent: ROOT, ...start });
		return command;
	}

	prints(command: number, ...lines: string[]): void {
		this.update({ is: "printed", command, lines, skipped: 0 });
	}

	ends(command: number, code = 0): void {
		const end = { by: "exit", code } as const;
		this.event({ event: "command_ended", agent: ROOT, command, end, outputBytes: 0, leftRunning: [] });
	}

	results(...results: { id: string; text: string; record?: Omit<CommandRecord, "toolUseId"> }[]): void {
		const content = results.map(({ id, text }) => ({ type: "tool_result" as const, tool_use_id: id, content: text }));
		const commands = results.flatMap(({ id, record }) => (record === undefined ? [] : [{ ...record, toolUseId: id }]));
		this.update({ is: "entry", entry: { role: "user", content, at: this.now, commands } });
	}

	childEnds(agent: string, answer: string): void {
		this.event({ event: "agent_ended", agent, ending: { by: "answer" } }, answer);
	}
}

export const text = (words: string): AssistantBlock => ({ type: "text", text: words });
export const thinking = (words: string): AssistantBlock => ({ type: "thinking", thinking: words, signature: "s" });
export const bash = (id: string, command: string): AssistantBlock => ({
	...{ type: "tool_use", id, name: "bash", input: { command } },
});
export const FREE = { usage: NO_USAGE, costUsd: 0 };
