/**
 * Runs the tool calls of one answer side by side. Each has one result, in the order of the calls, whatever the model
 * wrote.
 */

import { join } from "node:path";
import pLimit from "p-limit";
import { defined } from "../../core/defined.ts";
import { BASH, parseBashInput } from "../../core/model/bash-tool.ts";
import { callsIn, type ToolResultBlock, type ToolUseBlock } from "../../core/model/message.ts";
import type { CommandRecord } from "../../core/schemas/transcript.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import { firstChars, lastChars } from "../../text/ends.ts";
import type { Joined, Reply } from "../../wire/agent-messages.ts";
import type { SupervisorClient, UserContent } from "../supervisor-client.ts";
import { type RunningBash, startCommand } from "./bash.ts";
import { commandEnvironment } from "./environment.ts";
import type { Pipes } from "./pipe.ts";
import type { Sandbox } from "./start-shell.ts";

const MAX_AT_ONCE = 16; // commands of one answer; the others wait

export interface ToolCallsDeps {
	joined: Joined;
	client: Pick<SupervisorClient, "tell" | "logs">;
	socket: string;
	env: Readonly<Record<string, string | undefined>>;
	table: ProcessTable;
	sandbox: Sandbox;
	bugs: { note(error: unknown): void };
	/** Gets what ends, with a grace, the processes that a command has left and that the kernel would end with the agent's. */
	left: (() => Promise<void>)[];
	pipes: Pipes;
	/** Resolves when the agent is in its own cgroup. */
	entered: Promise<void>;
	/** How many commands a resumed agent has run before: numbers continue from there, so that no log is overwritten. */
	commandsBefore: number;
}

interface CallResult {
	block: ToolResultBlock;
	/** The command's text; absent when it was not run. */
	command?: string;
	record: CommandRecord;
}

export class ToolCalls {
	private readonly deps: ToolCallsDeps;
	private readonly running = new Map<number, RunningBash>();
	/** The living child agents of each command. */
	private readonly children = new Map<number, number>();
	/** Why no command may begin any more; undefined while they may. */
	private stoppedBecause: string | undefined;
	private isPaused = false;
	/** Of calls that a person is asked about. */
	private readonly asking = new Map<string, Permit>();
	private readonly limit = pLimit(MAX_AT_ONCE);
	private commands: number;
	private repeats: Repeats | undefined;

	constructor(deps: ToolCallsDeps) {
		this.deps = deps;
		this.commands = deps.commandsBefore;
	}

	/** To be told of each reply when it comes: what was said of the calls before holds no more. */
	begin({ unsure = [] }: Pick<Reply, "unsure">): void {
		this.stoppedBecause = undefined;
		this.asking.clear();
		for (const call of unsure) this.asking.set(call, new Permit());
	}

	/** Runs the calls of the answer, if it has any. */
	async run({ answer, refused = {}, waits }: Reply): Promise<UserContent> {
		const calls = callsIn(answer?.content);
		if (calls.length === 0 || waits) return { content: [] };
		const reasons = new Map(Object.entries(refused));
		const results = await Promise.all(calls.map((call) => this.limit(() => this.runOne(call, reasons.get(call.id)))));
		this.noteRepeats(results);
		this.fit(results);
		return { content: results.map(({ block }) => block), commands: results.map(({ record }) => record) };
	}

	/** Holds the clock of a command while child agents of it are alive. */
	childrenAlive(command: number, alive: number): void {
		this.children.set(command, alive);
		this.holdClock(command);
	}

	/** Holds the clocks of all commands while the agent is paused. */
	pause(isPaused: boolean): void {
		this.isPaused = isPaused;
		for (const command of this.running.keys()) this.holdClock(command);
	}

	private holdClock(command: number): void {
		const isHeld = this.isPaused || (this.children.get(command) ?? 0) > 0;
		this.running.get(command)?.holdClock(isHeld);
	}

	/** Stops all commands that are running; no other begins before the next reply. */
	stop(reason: string): void {
		this.stoppedBecause = reason;
		for (const permit of this.asking.values()) permit.give(reason);
		for (const bash of this.running.values()) bash.stop(reason);
	}

	/** A person has said whether the call's command may run. `refusal`: why it may not. */
	permit(call: string, refusal: string | undefined): void {
		this.asking.get(call)?.give(refusal);
	}

	/** Counts repeats in the order of the calls, which the model sees. A call that was not run does not count. */
	private noteRepeats(results: readonly CallResult[]): void {
		let newest: CallResult | undefined;
		for (const result of results) {
			if (result.command === undefined) continue;
			newest = result;
			this.repeats = countRepeat(this.repeats, result.command, result.block.content);
			result.block.content = withRepeatNote(this.repeats);
		}
		const { times } = this.repeats ?? { times: 0 };
		if (newest !== undefined && times >= TOLD_FROM)
			this.deps.client.tell({ say: "repeats", command: newest.record.command, times });
	}

	private fit(results: readonly CallResult[]): void {
		const { directory } = this.deps.joined;
		const texts = results.map(({ block, record: { log } }) => ({
			text: block.content,
			log: log === undefined ? undefined : join(directory, log),
		}));
		for (const [n, text] of shareResultRoom(texts).entries()) {
			const result = results[n];
			if (result !== undefined) result.block.content = text;
		}
	}

	private async runOne(call: ToolUseBlock, refused: string | undefined): Promise<CallResult> {
		if (refused !== undefined) return notRun(call, refused);
		if (call.name !== BASH) return notRun(call, `unknown tool "${call.name}"; the only tool is ${BASH}`);
		const input = parseBashInput(call.input);
		if (input.is === "invalid") return notRun(call, input.reason);
		const refusal = await this.asking.get(call.id)?.given;
		if (refusal !== undefined) return notRun(call, refusal);
		if (this.stoppedBecause !== undefined) return notRun(call, this.stoppedBecause);
		await this.deps.entered; // a command's processes are born in the cgroup in which the agent is then
		this.commands += 1;
		return this.runCommand(call, this.commands, input);
	}

	private async runCommand(
		call: ToolUseBlock,
		number: number,
		input: { command: string; timeoutMs: number },
	): Promise<CallResult> {
		const { joined, client, socket, env, table, sandbox, pipes, bugs } = this.deps;
		const { run, agent, token, shimDirectory, home, directory, cwd } = joined;
		const bash = startCommand({
			number,
			...input,
			agentDirectory: directory,
			cwd,
			env: commandEnvironment(env, { run, agent, command: number, token, socket, shimDirectory, home }),
			table,
			sandbox,
			onBug: (error) => bugs.note(error),
			pipes,
			...defined({ softFiles: joined.commandFiles }),
			logGate: client.logs,
			onStarted: (started) =>
				client.tell({ say: "command_started", command: number, toolUseId: call.id, text: input.command, ...started }),
		});
		this.running.set(number, bash);
		this.holdClock(number);
		const { end, text, outputBytes, leftRunning, log, endLeft } = await bash.ended;
		if (endLeft !== undefined) this.deps.left.push(endLeft);
		this.running.delete(number);
		this.children.delete(number);
		client.tell({ say: "command_ended", command: number, end, outputBytes, leftRunning });
		const isError = end.by !== "exit" || end.code !== 0;
		const block: ToolResultBlock = {
			type: "tool_result",
			tool_use_id: call.id,
			content: text,
			...defined({ is_error: isError || undefined }),
		};
		const record = {
			command: number,
			toolUseId: call.id,
			end,
			outputBytes,
			...defined({ log }),
		};
		return { block, record, command: input.command };
	}
}

/** Whether a command may run, once a person has said so. */
class Permit {
	give: (refusal: string | undefined) => void = () => {};
	/** Why it may not; undefined when it may. */
	readonly given = new Promise<string | undefined>((resolve) => {
		this.give = resolve;
	});
}

/**
 * Counts how often a model runs the same command and gets the same result, which it does not notice by itself. It may be
 * polling on purpose, so it is only told: the turn limit bounds it.
 */

/** From so many times on the model is told. */
const TOLD_FROM = 5;

export interface Repeats {
	readonly command: string;
	readonly result: string;
	/** How often in a row, this time included. */
	readonly times: number;
}

export function countRepeat(before: Repeats | undefined, command: string, result: string): Repeats {
	const isSame = before?.command === command && before.result === result;
	return { command, result, times: isSame ? before.times + 1 : 1 };
}

/** The result for the model, with a line about the repetition from TOLD_FROM times on. */
export function withRepeatNote({ result, times }: Repeats): string {
	if (times < TOLD_FROM) return result;
	const note = `[this command has given this result ${times} times in a row: if you are waiting for something, sleep longer between checks; otherwise try another way]`;
	return `${result}${result === "" || result.endsWith("\n") ? "" : "\n"}${note}`;
}

/**
 * Bounds the results of one answer's commands together, so that eight children with long answers do not fill the context.
 * Short results stay whole; the long ones share what these leave of the room evenly. Pure.
 */
export const MAX_TOGETHER = 200_000; // characters

interface LongText {
	readonly text: string;
	/** The file with the whole text; undefined when there is none. */
	readonly log: string | undefined;
}

/** The texts in their order, cut to at most `most` characters together (unless the markers alone are more). */
export function shareResultRoom(texts: readonly LongText[], most = MAX_TOGETHER): string[] {
	const share = fairShare(
		texts.map(({ text }) => text.length),
		most,
	);
	return texts.map((long) => (long.text.length <= share ? long.text : cutMiddle(long, share, texts.length)));
}

/** The most that each text may have so that all fit together, when short texts leave the rest of their share to others. */
function fairShare(lengths: readonly number[], most: number): number {
	let room = most;
	const ascending = lengths.toSorted((a, b) => a - b);
	for (const [n, length] of ascending.entries()) {
		const share = Math.floor(room / (ascending.length - n));
		if (length > share) return share;
		room -= length;
	}
	return Number.POSITIVE_INFINITY;
}

/** Cuts out the middle: the end of a text says how the command ended. */
function cutMiddle({ text, log }: LongText, most: number, results: number): string {
	const where = log === undefined ? "no file holds the rest" : `the whole is in ${log}`;
	const marker = `\n[... the middle is left out because ${results} results share the space; ${where} ...]\n`;
	const forText = Math.max(0, most - marker.length);
	const forHead = Math.floor(forText * 0.6);
	return `${firstChars(text, forHead)}${marker}${lastChars(text, forText - forHead)}`;
}

/** Makes the result of a call that was not run. `reason` is told to the model. */
function notRun(call: ToolUseBlock, reason: string): { block: ToolResultBlock; record: CommandRecord } {
	const [firstLine = ""] = reason.split("\n");
	return {
		block: { type: "tool_result", tool_use_id: call.id, content: `Not run: ${reason}`, is_error: true },
		record: { command: 0, toolUseId: call.id, end: { by: "not_started", reason: firstLine }, outputBytes: 0 },
	};
}
