/**
 * The agent's loop: ask the model, keep its answer, run the commands in it, tell the model what they printed, and ask again, until
 * it is over. When it is over, and what else the model is told, the supervisor says, at the other end of the connection.
 */
import type { Ending } from "../core/model/agent.ts";
import { textOf } from "../core/model/message.ts";
import type { Over, Reply } from "../wire/agent-messages.ts";
import type { ToolCalls } from "./bash/tool-calls.ts";
import type { Compactor } from "./context/compaction.ts";
import type { History } from "./context/history.ts";
import { type SupervisorClient, type UserContent, userText } from "./supervisor-client.ts";

export interface LoopParts {
	client: Pick<SupervisorClient, "ask" | "next" | "record" | "tell" | "stopped">;
	/** Empty for a new agent, filled from the transcript for a resumed one. */
	history: History;
	compactor: Compactor;
	calls: Pick<ToolCalls, "run">;
}

/** What the agent has to say so far: a text, and the file whose bytes are that, if there is one. */
export interface Words {
	readonly lastWords: string;
	readonly output?: string | undefined;
}

export interface LoopEnd extends Words {
	readonly ending: Ending;
	/** What it said last does not fit its schema: it is not printed. */
	readonly isUnfit?: true;
}

/** `first`: the task, or what a resumed agent is told. `waits`: the supervisor says when to begin. */
export async function runLoop(
	{ client, history, compactor, calls }: LoopParts,
	{ first, words, waits }: { first: UserContent; words: Words; waits: boolean },
): Promise<LoopEnd> {
	const push = (seen: UserContent) => {
		if (seen.content.length === 0 || client.stopped !== undefined) return;
		history.add({ role: "user", ...seen });
		client.record(seen);
	};
	let said = words;
	let next: Reply | Over = waits ? await client.next() : { say: "reply" };
	if (next.say === "reply") push(first);
	while (next.say === "reply") {
		const isReady: boolean = next.waits || (await compactor.prepare(next.shorten));
		next = next.waits ? await client.next() : await client.ask(history.requestMessages, isReady);
		said = newestWords(next, said);
		if (next.say === "over") break;
		if (next.answer !== undefined) {
			history.add({ role: "assistant", ...next.answer });
			compactor.answered();
		}
		const results = await calls.run(next);
		push({ ...results, content: [...results.content, ...userText(...(next.tell ?? [])).content] });
	}
	return { ending: next.ending, ...said, ...(next.isUnfit && { isUnfit: true }) };
}

function newestWords(next: Reply | Over, before: Words): Words {
	const answered = next.say === "reply" ? textOf(next.answer?.content ?? []) || undefined : undefined;
	const text = next.text ?? answered;
	if (text === undefined && next.output === undefined) return before;
	return { lastWords: text ?? before.lastWords, output: next.output };
}
