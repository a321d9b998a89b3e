/** The record of agent 1: events and entries in a few words, at milliseconds after the start of its run. */
import type { AssistantBlock } from "../../../../src/core/model/message.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { CommandRecord, TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { SettledItems } from "../../../../src/view/transcript/changes.ts";
import type { TranscriptItem } from "../../../../src/view/transcript/items.ts";
import { inOrder } from "../../../../src/view/transcript/merge.ts";
import { Transcript } from "../../../../src/view/transcript/transcript.ts";
import { T0 } from "../../record/fabricate.ts";

export const usage = { input: 1_000, output: 80, cacheRead: 0, cacheWrite: 0 };
export const charge = { usage, costUsd: 0.01 };

export const turnStarted = (at: number, turn: number): RunEvent => {
	return { event: "turn_started", at: T0 + at, agent: "1", turn, isLast: false };
};
export const turnEnded = (at: number, turn: number): RunEvent => {
	return { event: "turn_ended", at: T0 + at, agent: "1", turn, stopReason: "end_turn", ...charge };
};
export const turnFailed = (at: number, turn: number, reason = "over\nloaded"): RunEvent => {
	return { event: "turn_failed", at: T0 + at, agent: "1", turn, reason, ...charge };
};
export const turnCancelled = (at: number, turn: number): RunEvent => {
	return { event: "turn_cancelled", at: T0 + at, agent: "1", turn, ...charge };
};
export const retrying = (at: number, turn: number, attempt: number): RunEvent => {
	return {
		...{ event: "turn_retrying", at: T0 + at, agent: "1", turn, attempt, waitMs: 2_000, reason: "busy" },
		...charge,
	};
};
export const commandStarted = (at: number, command: number, toolUseId?: string, text = "cut …"): RunEvent => {
	const facts = { text, pid: 7, startTime: "1", log: `out/000${command}.log`, ...(toolUseId && { toolUseId }) };
	return { event: "command_started", at: T0 + at, agent: "1", command, ...facts };
};
export const commandEnded = (
	at: number,
	command: number,
	code = 0,
	leftRunning: { pid: number; name: string }[] = [],
): RunEvent => {
	const facts = { end: { by: "exit", code }, outputBytes: 7, leftRunning } as const;
	return { event: "command_ended", at: T0 + at, agent: "1", command, ...facts };
};
export const paused = (at: number, agent = "1"): RunEvent => {
	return { event: "agent_paused", at: T0 + at, agent, from: null };
};
export const sent = (at: number, text: string): RunEvent => {
	return { event: "message_sent", at: T0 + at, agent: "1", from: null, text };
};

export const call = (id: string, command: string): AssistantBlock => {
	return { type: "tool_use", id, name: "bash", input: { command } };
};
export const say = (text: string): AssistantBlock => ({ type: "text", text });
export const answer = (at: number, turn: number, ...content: AssistantBlock[]): TranscriptEntry => {
	return { role: "assistant", content, at: T0 + at, turn, model: "m", stopReason: "end_turn", ...charge };
};
export const result = (at: number, id: string, content: string, record?: CommandRecord): TranscriptEntry => {
	const block = { type: "tool_result", tool_use_id: id, content } as const;
	return { role: "user", at: T0 + at, content: [block], ...(record && { commands: [record] }) };
};
export const record = (command: number, toolUseId: string, code = 0): CommandRecord => {
	return { command, toolUseId, end: { by: "exit", code }, outputBytes: 7, log: `out/000${command}.log` };
};
export const words = (at: number, text: string, from?: string): TranscriptEntry => {
	return { role: "user", at: T0 + at, content: [{ type: "text", text }], ...(from !== undefined && { from }) };
};

/** All items of a record. `endedAt`: its agent has ended. */
export function itemsOf(
	events: readonly RunEvent[],
	entries: readonly TranscriptEntry[],
	{ agent = "1", endedAt }: { agent?: string; endedAt?: number } = {},
): TranscriptItem[] {
	const transcript = new Transcript(agent, "do it");
	const settled = new SettledItems();
	const items = [...inOrder(events, entries)].flatMap((item) => settled.take(transcript.take(item)));
	const last = endedAt === undefined ? transcript.standing() : transcript.ended(T0 + endedAt);
	return [...items, ...settled.take(last), ...settled.rest()];
}
