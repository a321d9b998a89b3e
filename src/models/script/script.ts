/**
 * The model `script:FILE`: plays turns from a file, without a key and without a network. It checks each request by the
 * service's own rules, and when it has no answer it says which agent and which turn asked. It keeps no state: the
 * agent's path, task and turn number decide what is played.
 */
import { setTimeout as sleepUntil } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { type AssistantBlock, callsIn, commandIn } from "../../core/model/message.ts";
import type { Model, ModelCall, ModelDelta, ModelFailure, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { checkRequest } from "../protocol/check-request.ts";
import { classOf, failureDetails, oneLine } from "../protocol/failure.ts";
import { validContent } from "../protocol/valid-content.ts";
import { readBoundedText } from "../user-files/bounded-file.ts";
import {
	MAX_REPEATED_CHARS,
	parseScript,
	type Say,
	SCRIPT_BOUNDS,
	type Script,
	type ScriptError,
	type ScriptTurn,
} from "./script-file.ts";

/** Ends early, without an error, when the signal is aborted. */
type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const sleepOnClock: Sleep = (ms, signal) => sleepUntil(ms, undefined, { signal }).catch(() => {});

/** Throws AgentreeError("script") for a file that cannot be read or is no script. */
export function openScript(name: string, file: string): Model {
	return playScript(name, parseScript(readScript(file), file));
}

function readScript(file: string): string {
	const notReadable = (why: string) => new AgentreeError("script", `cannot read the script ${file}: ${why}`);
	try {
		const read = readBoundedText(file, SCRIPT_BOUNDS);
		if (read.is === "text") return read.text;
		throw notReadable(read.why);
	} catch (error) {
		throw error instanceof AgentreeError ? error : notReadable(reasonOf(error as NodeJS.ErrnoException));
	}
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
	if (code === "ENOENT" || code === "ENOTDIR") return "no such file";
	return code === "EACCES" ? "permission denied" : (code ?? message);
}

export function playScript(name: string, script: Script, sleep: Sleep = sleepOnClock): Model {
	return {
		name,
		close: () => {},
		ask: async (request, call) => {
			const where = `agent ${call.agent}, turn ${call.turn}, script ${script.file}`;
			const broken = checkRequest(request);
			if (broken !== undefined) return failure(`${broken} (${where})`, 1);
			const turn = turnFor(script, call);
			if (turn === undefined) return summaryOf(request, name);
			if (typeof turn === "string") return failure(`${turn} (${where}; task: ${oneLine(call.task).slice(0, 80)})`, 1);
			return play(turn, { request, call, name, sleep });
		},
	};
}

/** The turn to play, or why there is none. Undefined for a summary that the script does not give. */
function turnFor(script: Script, call: ModelCall): ScriptTurn | string | undefined {
	const entry = script.agents.find(
		({ task, path }) => (task?.test(call.task) ?? true) && (path?.test(call.agent) ?? true),
	);
	if (entry === undefined) return "the script has no entry for this agent";
	if (call.kind === "compaction") return entry.compaction;
	const at = entry.after === "repeat" ? (call.turn - 1) % entry.turns.length : call.turn - 1;
	return entry.turns[at] ?? `the script has only ${entry.turns.length} turns for this agent`;
}

const MOST_COMMANDS = 10;

/** A summary made by code: short, and the same for the same request. */
function summaryOf({ messages }: ModelRequest, model: string): ModelOutcome {
	const blocks = messages.flatMap(({ role, content }) => (role === "assistant" ? content : []));
	const commands = callsIn(blocks).map(({ input }) => commandOf(input));
	const newest = commands.slice(-MOST_COMMANDS).map((command) => oneLine(command).slice(0, 60).toWellFormed());
	const text = `${commands.length} commands were run. The newest: ${newest.join("; ")}`;
	return { is: "reply", content: [{ type: "text", text }], stopReason: "end_turn", usage: NO_USAGE, model };
}

function commandOf(input: unknown): string {
	return String((input as { command?: unknown } | null)?.command ?? "");
}

interface Playing {
	request: ModelRequest;
	call: ModelCall;
	name: string;
	sleep: Sleep;
}

async function play(turn: ScriptTurn, playing: Playing): Promise<ModelOutcome> {
	const { call, request, sleep } = playing;
	if (turn.is === "error") {
		await sleep(turn.delayMs, call.signal);
		if (call.signal.aborted) return failure("the call was stopped", 1);
		return errorOf(turn);
	}
	if (turn.failsFirst !== undefined && call.attempt <= turn.failsFirst.times)
		return { ...errorOf(turn.failsFirst), exitCode: 75, retry: { isRateLimit: false } };
	const content = contentOf(turn, playing);
	const calls = content.some((block) => block.type === "tool_use");
	const stopReason =
		(request.mayUseTools || turn.stop !== "tool_use" ? turn.stop : undefined) ?? (calls ? "tool_use" : "end_turn");
	await stream(content, turn.delayMs, playing);
	if (call.signal.aborted) return failure("the call was stopped", 1);
	const valid = validContent(content, stopReason, { messages: request.messages, turn: call.turn });
	return { is: "reply", content: valid, stopReason, usage: turn.usage, model: playing.name };
}

/** A failure that is not retried: only a turn that the file lets fail a number of times is. */
function errorOf({ status, type, message }: ScriptError): ModelFailure {
	const failureClass = classOf({ status, type, words: message });
	const reason = `${oneLine(message)} (HTTP ${status} ${type})`;
	return { ...failure(reason, failureClass.exitCode), ...failureDetails(failureClass) };
}

function contentOf(turn: ScriptTurn & { is: "answer" }, { request, call }: Playing): AssistantBlock[] {
	const fill = (text: string) => filled(text, request, call);
	const content: AssistantBlock[] = [];
	if (turn.think !== undefined)
		content.push({ type: "thinking", thinking: fill(turn.think), signature: `script-${call.agent}-${call.turn}` });
	const isMute = !request.mayUseTools && turn.say === undefined && turn.calls.length > 0;
	const text = isMute ? "No command can be run in this call." : sayText(turn.say, fill);
	if (text !== "") content.push({ type: "text", text });
	if (!request.mayUseTools) return content;
	const ids = `toolu_${call.agent.replaceAll(".", "-")}_${call.turn}`; // the service allows no dot in an id
	for (const [n, { name, input }] of turn.calls.entries())
		content.push({ type: "tool_use", id: `${ids}_${n + 1}`, name, input: mapStrings(input, fill) });
	return content;
}

function sayText(say: Say | undefined, fill: (text: string) => string): string {
	if (say === undefined) return "";
	const text = fill(say.text);
	if (say.is === "text") return text;
	// The text may be longer than its placeholder, so the bound that the file was checked against is kept here, too.
	return text.repeat(Math.min(say.times, Math.floor(MAX_REPEATED_CHARS / Math.max(1, text.length))));
}

/** The text with its placeholders replaced: the task, the agent's path, the text of the results in this request. */
function filled(text: string, request: ModelRequest, call: ModelCall): string {
	return text.replace(/\{\{(task|agent|output)\}\}/g, (_, word: string) => {
		if (word === "task") return call.task;
		return word === "agent" ? call.agent : resultsIn(request);
	});
}

function resultsIn(request: ModelRequest): string {
	const last = request.messages.at(-1);
	if (last?.role !== "user") return "";
	return last.content.flatMap((block) => (block.type === "tool_result" ? [block.content] : [])).join("\n");
}

function mapStrings(value: unknown, by: (text: string) => string): unknown {
	if (typeof value === "string") return by(value);
	if (Array.isArray(value)) return value.map((item) => mapStrings(item, by));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, by)]));
}

const PIECE_MS = 60; // short enough to look like typing, long enough for slow terminals
const MOST_PIECES = 200;

/** Gives the answer in pieces, spread evenly over `delayMs`. */
async function stream(content: readonly AssistantBlock[], delayMs: number, { call, sleep }: Playing): Promise<void> {
	const deltas = content.flatMap((block, index) => asDelta(block).map((delta) => ({ ...delta, block: index })));
	const length = deltas.reduce((sum, { text }) => sum + text.length, 0);
	const pieces = Math.max(1, Math.min(MOST_PIECES, Math.floor(delayMs / PIECE_MS), length));
	const size = Math.max(1, Math.ceil(length / pieces));
	for (const { text, ...delta } of deltas)
		for (const piece of cut(text, size)) {
			if (delayMs > 0) await sleep((delayMs * piece.length) / length, call.signal);
			if (call.signal.aborted) return;
			call.onDelta({ ...delta, text: piece });
		}
	if (length === 0) await sleep(delayMs, call.signal);
}

function asDelta(block: AssistantBlock): ModelDelta[] {
	if (block.type === "text") return [{ kind: "text", text: block.text }];
	if (block.type === "thinking") return [{ kind: "thinking", text: block.thinking }];
	const command = block.type === "tool_use" ? commandIn(block) : undefined;
	return command === undefined ? [] : [{ kind: "command", text: command }];
}

/** Pieces of about `size`, none of which ends inside a surrogate pair. */
function cut(text: string, size: number): string[] {
	const pieces: string[] = [];
	for (let from = 0; from < text.length; ) {
		let to = from + size;
		if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to++;
		pieces.push(text.slice(from, to));
		from = to;
	}
	return pieces;
}

function failure(reason: string, exitCode: 1 | 75 | 77): ModelFailure {
	return { is: "failure", reason, exitCode, usage: NO_USAGE };
}
