/**
 * The agent's loop: ask the model, run the commands that its answer asks for, send what they printed, until it answers
 * without a command. Everything else (limits, slots, money, records) is the supervisor's, at the other end of the link.
 */
import type { Ending } from "../core/agent.ts";
import { type AssistantBlock, type Tool, textOf, type UserBlock } from "../core/model.ts";
import type { CommandRecord } from "../core/transcript.ts";
import { History } from "./history.ts";
import { type Link, SUPERVISOR_GONE } from "./link.ts";
import { type NextStep, NONE_UNFINISHED, nextStep } from "./next-step.ts";
import { notRun } from "./not-run.ts";

export interface LoopOptions {
	link: Pick<Link, "ask" | "tell" | "stopped" | "partial">;
	task: string;
	system: string;
	tools: Tool[];
	mayAnswerNothing: boolean;
	/** Runs the calls side by side; one result a call, in their order. */
	runCalls: (calls: Extract<AssistantBlock, { type: "tool_use" }>[]) => Promise<CallResults>;
	now: () => number;
}

export interface CallResults {
	content: UserBlock[];
	commands: CommandRecord[];
}

export interface LoopEnd {
	ending: Ending;
	/** The answer, or the newest text when there is none. */
	lastWords: string;
}

const REPORT =
	"You can make no more calls, and no more commands run. Report now what you have: what is done, what you found, what is left.";

export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
	const { link, system, tools, runCalls, now } = options;
	const history = new History();
	const say = ({ content, commands }: { content: UserBlock[]; commands?: CommandRecord[] }) => {
		history.addUser(content);
		link.tell({
			say: "record",
			entry: { role: "user", content, at: now(), ...(commands === undefined ? {} : { commands }) },
		});
	};
	let lastWords = "";
	let limit: Ending | undefined;
	let unfinished = NONE_UNFINISHED;
	const soFar = (text: string) => (text === "" ? lastWords : unfinished.said + text);
	say(saying(options.task));
	for (;;) {
		const request = { system, tools, messages: history.messages, mayUseTools: limit === undefined };
		const reply = await link.ask(request, limit === undefined ? "turn" : "last");
		if (reply === undefined) return { ending: link.stopped ?? SUPERVISOR_GONE, lastWords: soFar(link.partial) };
		if (reply.say === "ask_failed") {
			if (blamesThinking(reply.reason) && history.dropThinking()) continue;
			const { reason, exitCode, partial } = reply;
			return { ending: limit ?? { by: "failure", reason, exitCode }, lastWords: soFar(partial) };
		}
		if (reply.say === "ask_refused") {
			if (limit !== undefined) return { ending: limit, lastWords };
			limit = { by: "limit", limit: reply.limit, reason: reply.reason };
			unfinished = NONE_UNFINISHED;
			say(saying(`Stop here: ${reply.reason}. ${REPORT}`));
			continue;
		}
		history.addAssistant(reply.content);
		lastWords = soFar(textOf(reply.content));
		if (limit !== undefined) return { ending: limit, lastWords };
		const step = nextStep(reply, unfinished, options.mayAnswerNothing);
		if (step.do === "answer") return { ending: { by: "answer" }, lastWords: step.text };
		if (step.do === "fail") return { ending: { by: "failure", reason: step.reason, exitCode: 1 }, lastWords };
		const results = step.do === "run" ? await runCalls(step.calls) : notRunOrSaid(step);
		if (link.stopped !== undefined) return { ending: link.stopped, lastWords };
		unfinished = step.do === "run" ? NONE_UNFINISHED : step.unfinished;
		say(results);
	}
}

/** Its thinking blocks are bound to a model and a conversation: the service refuses them when it sees others. */
function blamesThinking(reason: string): boolean {
	return /\(HTTP 400\b/.test(reason) && /thinking|signature/i.test(reason);
}

function notRunOrSaid({ calls, words }: Extract<NextStep, { do: "go_on" }>): {
	content: UserBlock[];
	commands?: CommandRecord[];
} {
	if (calls.length === 0) return saying(words);
	const results = calls.map((call) => notRun(call, words));
	return { content: results.map(({ block }) => block), commands: results.map(({ record }) => record) };
}

function saying(text: string): { content: UserBlock[] } {
	return { content: [{ type: "text", text }] };
}
