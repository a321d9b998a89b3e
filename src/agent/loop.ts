/**
 * The agent's loop: ask the model, run the commands that its answer asks for, send what they printed, until it answers
 * without a command. Everything else (limits, slots, money, records) is the supervisor's, at the other end of the link.
 */
import type { Ending } from "../core/agent.ts";
import { type AssistantBlock, type Tool, textOf, type UserBlock } from "../core/model.ts";
import type { CommandRecord } from "../core/transcript.ts";
import { History } from "./history.ts";
import { type Link, SUPERVISOR_GONE } from "./link.ts";
import { nextStep } from "./next-step.ts";

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
	const say = (content: UserBlock[], commands?: CommandRecord[]) => {
		history.addUser(content);
		link.tell({
			say: "record",
			entry: { role: "user", content, at: now(), ...(commands === undefined ? {} : { commands }) },
		});
	};
	let lastWords = "";
	let limit: Ending | undefined;
	say([{ type: "text", text: options.task }]);
	for (;;) {
		const request = { system, tools, messages: history.messages, mayUseTools: limit === undefined };
		const reply = await link.ask(request, limit !== undefined);
		if (reply === undefined) return { ending: link.stopped ?? SUPERVISOR_GONE, lastWords: link.partial || lastWords };
		if (reply.say === "ask_failed") {
			const { reason, exitCode, partial } = reply;
			return { ending: limit ?? { by: "failure", reason, exitCode }, lastWords: partial || lastWords };
		}
		if (reply.say === "ask_refused") {
			if (limit !== undefined) return { ending: limit, lastWords };
			limit = { by: "limit", limit: reply.limit, reason: reply.reason };
			say([{ type: "text", text: `Stop here: ${reply.reason}. ${REPORT}` }]);
			continue;
		}
		history.addAssistant(reply.content);
		lastWords = textOf(reply.content) || lastWords;
		if (limit !== undefined) return { ending: limit, lastWords };
		const step = nextStep(reply.content, reply.stopReason, options.mayAnswerNothing);
		if (step.do === "answer") return { ending: { by: "answer" }, lastWords: step.text };
		if (step.do === "fail") return { ending: { by: "failure", reason: step.reason, exitCode: 1 }, lastWords };
		const results = await runCalls(step.calls);
		if (link.stopped !== undefined) return { ending: link.stopped, lastWords };
		say(results.content, results.commands);
	}
}
