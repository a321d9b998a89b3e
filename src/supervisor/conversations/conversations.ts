/** The conversations of all agents that are connected. What agents say of theirs is checked before it is recorded or asked. */

import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { Message, UserBlock } from "../../core/model/message.ts";
import type { AskKind, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import type { AssistantEntry, TranscriptEntry } from "../../core/model/transcript.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { newestLines } from "../../record/files/file-tail.ts";
import { parseEntry } from "../../record/read-events.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { FromAgent } from "../../wire/agent-messages.ts";
import type { Joined } from "../../wire/joined-message.ts";
import type { Journal } from "../record/journal.ts";
import { type Asked, Conversation, type Recorded } from "./conversation.ts";

const LEAST_BYTES_READ = 32 * 1024 * 1024; // of a transcript; its agent takes less of it
const BYTES_A_TOKEN = 8; // at most, of a line of a transcript for each token that fits into the context

interface ConversationsDeps {
	journal: Pick<Journal, "message">;
	run: () => RunState;
	now: () => number;
	/** The run's. */
	directory: string;
}

export class Conversations {
	private readonly deps: ConversationsDeps;
	private readonly byAgent = new Map<AgentId, Conversation>();

	constructor(deps: ConversationsDeps) {
		this.deps = deps;
	}

	/** Begins with what the transcript of a resumed agent has. */
	open(joined: Joined, system: string): void {
		const { agent, resumed, contextTokens } = joined;
		const conversation = new Conversation({ ...joined, system });
		const path = transcriptPath(this.deps.directory, agent);
		const entries = resumed === undefined ? [] : newestEntries(path, contextTokens * BYTES_A_TOKEN);
		for (const entry of entries) conversation.add(entry);
		this.byAgent.set(agent, conversation);
	}

	/** From now on the agent works with this. */
	change(agent: AgentId, facts: Parameters<Conversation["change"]>[0]): void {
		this.byAgent.get(agent)?.change(facts);
	}

	/** A person asks for a summary of the agent's older rounds. */
	allowSummary(agent: AgentId, keep: string | undefined): void {
		this.byAgent.get(agent)?.allowSummary(keep);
	}

	/** What is wrong with messages that the agent says its next request would have. */
	messagesFault(agent: AgentId, messages: readonly Message[]): string | undefined {
		return this.byAgent.get(agent)?.messagesFault(messages);
	}

	/** The request of a question beside the conversation; undefined for an agent that is not there. */
	aside(agent: AgentId, messages: readonly Message[], question: string): ModelRequest | undefined {
		return this.byAgent.get(agent)?.aside(messages, question);
	}

	/** Records that the agent goes on with another model. */
	noteModel(agent: AgentId, model: string): void {
		this.add(agent, { role: "note", note: "changed", at: this.deps.now(), model });
	}

	close(agent: AgentId): void {
		this.byAgent.delete(agent);
	}

	/** Records an entry of the agent; gives what is wrong with it when it may not. */
	record(agent: AgentId, recorded: Recorded): string | undefined {
		const fault = this.byAgent.get(agent)?.fault(recorded);
		if (fault !== undefined) return fault;
		const at = this.deps.now();
		const turn = this.deps.run().agents[agent]?.turns ?? 0; // only the supervisor counts turns
		const entry: TranscriptEntry = recorded.role === "note" ? { ...recorded, at, turn } : { ...recorded, at };
		this.add(agent, entry);
		return undefined;
	}

	/** Records what is told to the agent. `from`: who says it, as in the transcript. */
	tell(agent: AgentId, content: UserBlock[], from: string): void {
		this.add(agent, { role: "user", content, at: this.deps.now(), from });
	}

	asked(agent: AgentId, { kind, messages }: Extract<FromAgent, { say: "ask" }>): Asked {
		return (
			this.byAgent.get(agent)?.asked(kind, messages) ?? { is: "fault", what: "an ask of an agent that is not there" }
		);
	}

	/** Learns what became of a call, and records the answer of a turn. `answer`: absent when there is none. */
	heard(agent: AgentId, { kind, outcome }: { kind: AskKind; outcome: ModelOutcome }, answer?: AssistantEntry): void {
		if (answer !== undefined) this.add(agent, answer);
		this.byAgent.get(agent)?.heard(kind, outcome);
	}

	private add(agent: AgentId, entry: TranscriptEntry): void {
		this.deps.journal.message(agent, entry);
		this.byAgent.get(agent)?.add(entry);
	}
}

function newestEntries(path: string, bytes: number): TranscriptEntry[] {
	const entries: TranscriptEntry[] = [];
	try {
		for (const line of newestLines(path, Math.max(LEAST_BYTES_READ, bytes))) {
			const entry = parseEntry(line);
			if (entry !== undefined) entries.push(entry);
		}
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error; // a bug, and not a transcript that cannot be read
	}
	return entries.reverse();
}
