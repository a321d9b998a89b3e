/** A model with a small window that answers as the dice fall, and says that the context is full when it is. */
import { Compactor } from "../../../../src/agent/context/compaction.ts";
import { History, type HistoryEntry } from "../../../../src/agent/context/history.ts";
import { type LoopEnd, type LoopParts, runLoop } from "../../../../src/agent/loop.ts";
import { userText } from "../../../../src/agent/supervisor-client.ts";
import { commandLog } from "../../../../src/core/bash-call.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/core/model/message.ts";
import type { AskKind, ModelRequest } from "../../../../src/core/model/model.ts";
import type { CommandRecord } from "../../../../src/core/schemas/transcript.ts";
import { promptBytes } from "../../../../src/supervisor/conversations/conversation.ts";
import type { CallOutcome } from "../../../../src/supervisor/conversations/replies.ts";
import { type Dice, diceOf } from "../../dice.ts";
import { supervised } from "../supervised.ts";

export const WINDOW = 6_000; // tokens of 3 bytes
const TASK = "count the words of all files";

export interface Asked {
	kind: AskKind;
	request: ModelRequest;
	/** What a reader of the transcript has made of it up to this moment. */
	replayed: Message[];
	reply: CallOutcome;
}

export interface Played {
	end: LoopEnd;
	asked: Asked[];
	transcript: HistoryEntry[];
	/** Of the commands, by the ids of their calls. */
	logs: Map<string, string>;
}

/** `turns`: how many answers it gives before it comes to its end. */
export async function play(seed: number, turns: number, compactAt = 0.8): Promise<Played> {
	const dice = diceOf(seed);
	const asked: Asked[] = [];
	const transcript: HistoryEntry[] = [];
	let answers = 0;
	const reader = new History((log) => `/run/1/${log}`);
	const record = (entry: HistoryEntry) => {
		transcript.push(entry);
		reader.add(structuredClone(entry));
	};
	const system = "be brief";
	const logs = new Map<string, string>();
	const { client: supervisor } = supervised({
		system,
		answer: (kind, request) => {
			const reply = replyTo(request, kind);
			asked.push({ kind, request, reply, replayed: reader.requestMessages });
			if (reply.say === "answer" && kind !== "compaction")
				record({ role: "assistant", content: reply.content, usage: reply.usage });
			return reply;
		},
	});
	const client: typeof supervisor = {
		...supervisor,
		record: (content) => record({ role: "user", ...content }),
		tell: (message) => {
			if (message.say === "record") record(message.entry as HistoryEntry);
		},
	};
	const replyTo = (request: ModelRequest, kind: AskKind): CallOutcome => {
		const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(request)) / 3);
		if (tokens > WINDOW)
			return {
				...{ say: "ask_failed", exitCode: 1, partial: "", reason: "too long" },
				contextFull: { promptTokens: tokens, maxTokens: WINDOW },
			};
		const usage = { input: 0, cacheRead: tokens, cacheWrite: 0, output: 20 };
		if (kind === "compaction") return summary(dice, usage);
		answers += 1;
		if (answers >= turns) return { say: "answer", content: [words("all done")], stopReason: "end_turn", usage };
		return { say: "answer", usage, ...answer(dice, answers) };
	};
	const history = new History((log) => `/run/1/${log}`);
	const bounds = { promptBytes: promptBytes(system), contextTokens: WINDOW, compactAt };
	const parts = { client, history, compactor: new Compactor(client, history, bounds), calls: callsOf(dice, logs) };
	const end = await runLoop(parts, { first: userText(TASK), words: { lastWords: "" }, waits: false });
	return { end, asked, transcript, logs };
}

function callsOf(dice: Dice, logs: Map<string, string>): LoopParts["calls"] {
	return {
		run: async ({ answer: given, refused = {} }) => {
			const ids = given?.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) ?? [];
			const run = ids.filter((id) => refused[id] === undefined);
			return {
				content: ids.map((id): UserBlock => {
					const content = refused[id] ?? output(dice);
					return { type: "tool_result", tool_use_id: id, content };
				}),
				commands: run.map((id): CommandRecord => {
					const command = logs.size + 1;
					logs.set(id, `/run/1/${commandLog(command)}`);
					const record = { command, toolUseId: id, end: { by: "exit", code: 0 }, outputBytes: 9 } as const;
					return dice.roll(4) > 0 ? { ...record, log: commandLog(command) } : record;
				}),
			};
		},
	};
}

const words = (text: string): AssistantBlock => ({ type: "text", text });

function output(dice: Dice): string {
	const length = [0, 30, 300, 1_500, 4_000][dice.roll(5)] ?? 0;
	return dice.roll(9) === 0 ? "ü€😀".repeat(length / 10) : "x".repeat(length);
}

function answer(dice: Dice, n: number): { content: AssistantBlock[]; stopReason: string; notes?: string[] } {
	const thinking = { type: "thinking", thinking: `t${n}`, signature: `s${n}=` } as const;
	const calls = Array.from({ length: 1 + dice.roll(3) }, (_, i): AssistantBlock => {
		return { type: "tool_use", id: `c${n}_${i}`, name: "bash", input: { command: `make ${n}` } };
	});
	const rolled = dice.roll(12);
	if (rolled === 0) return { content: [thinking, words(`part ${n}`)], stopReason: "max_tokens" };
	if (rolled === 1) return { content: [words(`part ${n}`)], stopReason: "model_context_window_exceeded" };
	if (rolled === 2) return { content: [thinking], stopReason: "pause_turn" };
	const notes = rolled === 3 ? { notes: [`80 % of the budget at ${n}`] } : {};
	return { content: [thinking, words(`I look ${n}`), ...calls], stopReason: "tool_use", ...notes };
}

function summary(dice: Dice, usage: Extract<CallOutcome, { say: "answer" }>["usage"]): CallOutcome {
	const said = (text: string, stopReason = "end_turn"): CallOutcome => ({
		...{ say: "answer", content: [words(text)], stopReason, usage },
	});
	switch (dice.roll(8)) {
		case 0:
			return said(" \n");
		case 1:
			return said("and then I", "max_tokens");
		case 2:
			return { say: "ask_refused", limit: "max-budget-usd", reason: "budget spent", partial: "" };
		case 3:
			return { say: "ask_failed", reason: "overloaded", exitCode: 75, partial: "and th" };
		case 4:
			return said("much ".repeat(5_000));
		default:
			return said("asked: count; done: 7 files; open: the rest");
	}
}
