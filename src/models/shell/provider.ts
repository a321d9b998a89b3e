/**
 * The model `shell`: the task is the command. The first turn runs the task's text, the second answers with what it
 * printed, whole and raw. A message to an agent that has answered, has failed or was interrupted is the next command; in a
 * conversation so is what the person says while a command runs, once that has ended. It needs no key and no network, and since a
 * child inherits its parent's model, a command that runs `agent "command"` makes a real tree of real processes.
 */

import type { AgentId } from "../../core/agent-id.ts";
import { LOG_CUT } from "../../core/limits/shortage.ts";
import type { AssistantBlock, ToolResultBlock, UserBlock } from "../../core/model/message.ts";
import { INTERRUPTED_BY_PERSON, isOfMessages, wordsIn } from "../../core/model/message-marks.ts";
import type { Model, ModelCall, ModelFailure, ModelOutcome, ModelReply, ModelRequest } from "../../core/model/model.ts";
import { alsoSaidIn, INTERRUPTION, isOfPlace } from "../../core/model/placeholder-texts.ts";
import { NO_USAGE } from "../../core/model/usage.ts";
import { unknownModel } from "../provider/model-facts.ts";
import type { Provider } from "../provider/provider.ts";

const SHELL_NAME = "shell";

export const SHELL: Provider = {
	names: [SHELL_NAME],
	variables: { keys: [], addresses: [], others: [] },
	owns: (name) => name === SHELL_NAME,
	facts: (name) => ({
		...unknownModel(name),
		price: { is: "free" },
		isRemote: false,
		readsMessages: false,
		answersBytes: true,
	}),
	resolve: (name) => name,
	check: () => {},
	open: async () => openShell(),
};

/** A request that was answered with a failure or with nothing, which no history holds. */
interface Unheld {
	readonly messages: number;
	/** In the last of its messages: what stands behind them was said later. */
	readonly blocks: number;
}

/** In the result of a command that has failed, how that ended: it was run. */
const HAS_RUN = /^\[(?:exit status|timed out|stopped:)/m;

export function openShell(): Model {
	const unheld = new Map<AgentId, Unheld>();
	const ask = async (request: ModelRequest, call: ModelCall): Promise<ModelOutcome> => {
		const outcome = await outcomeOf(request, call, unheld.get(call.agent));
		const { messages } = request;
		const isHeld = outcome.is === "reply" && outcome.content.length > 0;
		if (!isHeld && !call.signal.aborted)
			unheld.set(call.agent, { messages: messages.length, blocks: messages.at(-1)?.content.length ?? 0 });
		return outcome;
	};
	return { name: SHELL_NAME, ask, close: () => {} };
}

async function outcomeOf(request: ModelRequest, call: ModelCall, unheld: Unheld | undefined): Promise<ModelOutcome> {
	if (call.signal.aborted) return failure("the call was stopped");
	if (call.kind === "compaction") return failure("the model shell writes no summaries");
	const message = saidNow(request, call) ?? saidAfterEnd(request, unheld) ?? (await messageAfterAnswer(request, call));
	const result = message === undefined ? lastResult(request) : undefined;
	if (result !== undefined) return answer(result, call);
	if (!request.mayUseTools)
		return reply(
			[{ type: "text", text: "No command can be run in this call, so the task was not run.\n" }],
			"end_turn",
		);
	const id = `toolu_shell_${call.turn}`;
	return reply([{ type: "tool_use", id, name: "bash", input: { command: message ?? wordsIn(call.task) } }], "tool_use");
}

/** The answer is the file with the command's output; the transcript gets its text, as UTF-8. */
async function answer(result: ToolResultBlock, call: ModelCall): Promise<ModelOutcome> {
	const output = isRefused(result) ? undefined : await call.lastOutput(); // the last output is of an earlier command then
	if (output === undefined) return withoutOutput(result);
	if (result.content.includes(LOG_CUT)) return reply([{ type: "text", text: result.content }], "end_turn");
	const { path, text, printedBytes, keptBytes, exitCode } = output;
	if (keptBytes < printedBytes && isWhole(result.content, printedBytes))
		return reply([{ type: "text", text: result.content }], "end_turn");
	if (keptBytes < printedBytes)
		return { ...failure(`only part of the command's output was saved (${printedBytes} bytes in total)`), output: path };
	if (text !== "") return { ...reply([{ type: "text", text }], "end_turn"), output: path };
	if (exitCode === 0) return reply([], "end_turn");
	if (exitCode === undefined) return failure("the command printed nothing and was ended from outside");
	return failure(`the command printed nothing and ended with exit status ${exitCode}`);
}

function isRefused({ content, is_error }: ToolResultBlock): boolean {
	return is_error === true && content.startsWith("Not run: ") && !HAS_RUN.test(content);
}

/**
 * True when the tool result is all that was printed, byte for byte. Making plain text of an output takes bytes away, but
 * for three things that add some: a line that begins with a bracket, the words that stand for white space alone, and the
 * character that stands for bytes that are not UTF-8. So a text of the same length without these is the output itself.
 */
function isWhole(content: string, printedBytes: number): boolean {
	if (Buffer.byteLength(content) !== printedBytes) return false;
	return !/\uFFFD|^\[|^\(n[^)]*\)$/m.test(content);
}

/**
 * No output file is known: the command was not run, or it was run before this run was interrupted and resumed. In that
 * case the transcript has what it printed, if it came to its end.
 */
function withoutOutput({ content, is_error }: ToolResultBlock): ModelOutcome {
	if (!is_error) return reply([{ type: "text", text: content }], "end_turn");
	if (content.startsWith("Interrupted:")) return failure("the command was interrupted, and is not run again");
	return failure(`the command was not run: ${whyNotRun(content.trim().split("\n")[0] ?? "")}`);
}

/** Of the words for the agent's model those that say why. */
function whyNotRun(line: string): string {
	return /^\[not started: (.*)\]$/.exec(line)?.[1] ?? line.replace(/^Not run: /, "");
}

/** What the person says with this call, also behind the result of a command under way: that has come to its end, and is seen. */
function saidNow({ mayUseTools }: ModelRequest, { said = [] }: ModelCall): string | undefined {
	return mayUseTools && said.length > 0 ? said.map(wordsIn).join("\n") : undefined;
}

/**
 * What is said after a failure, an empty answer, or an interruption: it stands behind the result of the command that came to
 * nothing, or in the words that tell a resumed agent that it was interrupted.
 */
function saidAfterEnd({ messages }: ModelRequest, unheld: Unheld | undefined): string | undefined {
	const last = messages.at(-1);
	if (last?.role !== "user") return undefined;
	const from = unheld?.messages === messages.length ? unheld.blocks : 0;
	const interruption = last.content.findLastIndex(
		(block) => block.type === "text" && block.text === INTERRUPTED_BY_PERSON,
	);
	const later = last.content.slice(Math.max(from, interruption + 1));
	const isAfterEnd = from > 0 || interruption >= 0 || later.some(hasAlso);
	const text = isAfterEnd ? commandIn(later) : "";
	return text === "" ? undefined : text;
}

/**
 * What is said to an agent that has answered. After an empty answer, which no history holds, it stands behind the command's
 * result, and that command was no command of the agent's present process. To be told of an interruption is no command, and neither is
 * what others send to it while it works.
 */
async function messageAfterAnswer({ messages }: ModelRequest, call: ModelCall): Promise<string | undefined> {
	const [before, last] = messages.slice(-2);
	if (before?.role !== "assistant" || last?.role !== "user") return undefined;
	const text = commandIn(last.content);
	if (text === "") return undefined;
	if (last.content.every(({ type }) => type === "text")) return text;
	const isNotRun = last.content.some(
		(block) => block.type === "tool_result" && block.is_error && !HAS_RUN.test(block.content),
	);
	return isNotRun || (await call.lastOutput()) !== undefined ? undefined : text;
}

function hasAlso(block: UserBlock): boolean {
	return block.type === "text" && alsoSaidIn(block.text) !== undefined;
}

/** Several messages are as many lines of it. What a person's own commands printed is none, nor what nobody has said. */
function commandIn(content: readonly UserBlock[]): string {
	return content
		.flatMap((block) => (block.type === "text" ? [saidIn(block.text) ?? []].flat().map(wordsIn) : []))
		.join("\n");
}

function saidIn(text: string): string | undefined {
	if (isOfMessages(text) || isOfPlace(text)) return undefined;
	return text.startsWith(INTERRUPTION) ? alsoSaidIn(text) : text;
}

function lastResult(request: ModelRequest): ToolResultBlock | undefined {
	return request.messages
		.flatMap((message) => (message.role === "user" ? message.content : []))
		.findLast((block) => block.type === "tool_result");
}

function reply(content: AssistantBlock[], stopReason: string): ModelReply {
	return { is: "reply", content, stopReason, usage: NO_USAGE, model: SHELL_NAME };
}

function failure(reason: string): ModelFailure {
	return { is: "failure", reason, exitCode: 1, usage: NO_USAGE };
}
