/** The commands of a transcript: which call each belongs to, how it goes, and what came of it. Pure. */
import type { AgentId } from "../../core/model/agent.ts";
import { commandIn, type ToolResultBlock, type ToolUseBlock } from "../../core/model/message.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { CommandRecord } from "../../core/schemas/transcript.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { Changes } from "./changes.ts";
import type { CommandItem } from "./items.ts";

type Started = Extract<RunEvent, { event: "command_started" }>;
type Ended = Extract<RunEvent, { event: "command_ended" }>;

const NOTHING_KNOWN = {
	is: "command",
	formerKey: undefined,
	callId: undefined,
	text: undefined,
	command: undefined,
	state: "waiting",
	startedAt: undefined,
	endedAt: undefined,
	end: undefined,
	result: undefined,
	isError: undefined,
	recordedAt: undefined,
	outputBytes: undefined,
	log: undefined,
	children: [],
	leftRunning: [],
} as const satisfies Omit<CommandItem, "key">;

export class TranscriptCommands {
	private readonly changes: Changes;
	/** Those of the newest answer, and those without a call that came since. */
	private items: CommandItem[] = [];
	/** By command and agent: a command may start thousands. */
	private readonly startedChildren = new Set<string>();

	constructor(changes: Changes) {
		this.changes = changes;
	}

	/** Another answer comes: what has no result by now gets none. */
	forgetOlder(): void {
		const isLost = (item: CommandItem) => item.result === undefined && isOpen(item) && item.formerKey !== undefined;
		for (const item of this.items.filter(isLost)) this.lose(item, undefined);
		this.items = this.items.filter(({ state, formerKey }) => state === "running" && formerKey === undefined);
	}

	/** `formerKey`: of the call while it was written. */
	called(call: ToolUseBlock, formerKey: string): void {
		const text = commandText(call);
		const begun = this.items.find(({ callId, formerKey: former }) => callId === call.id && former === undefined);
		if (begun !== undefined) this.change({ ...begun, text, formerKey });
		else this.add({ ...NOTHING_KNOWN, key: callKey(call.id), formerKey, callId: call.id, text });
	}

	/** A snapshot of the run may be older than the transcript: a command that has a result does not start. */
	started({ at, command, toolUseId, text, log }: Started): void {
		const known = this.numbered(command) ?? this.items.findLast((item) => isStartOf(item, toolUseId, text));
		if (known?.result !== undefined) return;
		const begun = { state: "running", command, log, startedAt: at } as const;
		if (known !== undefined) return this.change({ ...known, ...begun });
		const key = toolUseId === undefined ? `command:${command}` : callKey(toolUseId);
		this.add({ ...NOTHING_KNOWN, key, callId: toolUseId, text, ...begun });
	}

	printed(command: number, lines: readonly string[], skipped: number): void {
		const item = this.numbered(command);
		if (item?.state === "running") this.changes.printed(item, lines, skipped);
	}

	ended({ at, command, end, outputBytes, leftRunning }: Ended): void {
		const item = this.numbered(command);
		if (item === undefined) return;
		const endedAt = Math.max(item.startedAt ?? at, at); // the system's time may have been set back
		this.change({ ...item, state: "ended", end, endedAt, outputBytes, leftRunning });
	}

	childStarted(child: AgentId, command: number): void {
		const item = this.numbered(command);
		const name = `${command} ${child}`;
		if (item === undefined || this.startedChildren.has(name)) return;
		this.startedChildren.add(name);
		this.change({ ...item, children: [...item.children, child] });
	}

	/** Results of an agent that was cut off have no records. */
	result(block: ToolResultBlock, record: CommandRecord | undefined, recordedAt: number): void {
		const { tool_use_id: callId, content: result, is_error: isError } = block;
		const known =
			this.items.find((item) => item.callId === callId && item.result === undefined) ??
			this.items.find((item) => item.command === record?.command && item.result === undefined && record !== undefined);
		const item = known ?? { ...NOTHING_KNOWN, key: callKey(callId), callId };
		const { command, outputBytes, log } = record ?? item;
		const end = record?.end ?? item.end;
		const state = end === undefined && command !== undefined ? "lost" : "ended";
		const recorded = { ...item, state, command, end, outputBytes, log, result, isError, recordedAt } as const;
		if (known === undefined) this.add(recorded);
		else this.change(recorded);
	}

	/** The agent has ended. */
	close(at: number): void {
		for (const item of this.items) if (isOpen(item)) this.lose(item, at);
	}

	/** Events may have been missed; of the commands only these still run. */
	keep(running: readonly number[]): void {
		for (const item of this.items)
			if (item.state === "running" && !running.includes(item.command ?? 0)) this.lose(item, undefined);
	}

	/** Those without a result. */
	get open(): readonly CommandItem[] {
		return this.items.filter(({ result }) => result === undefined);
	}

	private lose(item: CommandItem, at: number | undefined): void {
		const endedAt = item.startedAt === undefined || at === undefined ? undefined : Math.max(item.startedAt, at);
		this.change({ ...item, state: "lost", endedAt });
	}

	private numbered(command: number): CommandItem | undefined {
		return this.items.findLast((item) => item.command === command);
	}

	private add(item: CommandItem): void {
		this.items.push(this.changes.added(item));
	}

	private change(item: CommandItem): void {
		const at = this.items.findLastIndex(({ key }) => key === item.key);
		this.items[at] = this.changes.changed(item);
	}
}

function callKey(id: string): string {
	return `call:${id}`;
}

function isOpen({ state }: CommandItem): boolean {
	return state === "waiting" || state === "running";
}

/** Older logs do not say to which call a command belongs. */
function isStartOf(item: CommandItem, toolUseId: string | undefined, text: string): boolean {
	if (toolUseId !== undefined) return item.callId === toolUseId;
	return item.command === undefined && item.text !== undefined && isBeginningOf(text, item.text);
}

/** The text of a command in the event log stands in one line, and is cut. */
function isBeginningOf(logged: string, whole: string): boolean {
	return oneLine(whole).startsWith(oneLine(logged).slice(0, 200).replace(/…$/, ""));
}

/** The command of a call; of what is no command the name and the input: `edit {"path":"x"}`. */
function commandText(call: ToolUseBlock): string {
	return commandIn(call) ?? `${call.name} ${JSON.stringify(call.input)}`;
}
