/** Where processes ask to join: each waits here until it is decided, then becomes a member or is sent away with a reason. */
import { type Ending, parentOf, ROOT } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import type { RunState } from "../core/run-state.ts";
import type { AgentFile, ResumeNote } from "../core/transcript.ts";
import { checkModel, resolveModel } from "../models/providers.ts";
import type { Join, Resumed } from "../protocol/agent-messages.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { Effect } from "./decide/effect.ts";
import type { Input, ResolvedParent } from "./decide/input.ts";
import { joinedMessage, type Member, memberOf } from "./member.ts";
import { readDescriptors, tooManyOpen } from "./processes/descriptors.ts";
import type { Machine } from "./processes/machine.ts";
import type { Journal } from "./record/journal.ts";
import { reopenAgentFile, resumedOf } from "./record/resume-files.ts";
import type { RunSettings } from "./run-settings.ts";
import type { AgentConnection } from "./server.ts";
import { taskKey } from "./task-key.ts";

export interface PendingJoinsDeps {
	settings: RunSettings;
	registry: AgentRegistry;
	journal: Journal;
	machine: Pick<Machine, "parentOf">;
	shimDirectory: string;
	/** Of the run. */
	directory: string;
	/** What is said to a root that goes on. */
	messageToRoot: string | undefined;
}

export class PendingJoins {
	private readonly facts: PendingJoinsDeps;
	private readonly waiting = new Map<number, AgentConnection>();

	constructor(facts: PendingJoinsDeps) {
		this.facts = facts;
	}

	/**
	 * The request, with its model's name as a run keeps it. Undefined when there is no such model: then the process has been
	 * sent away.
	 */
	arrived(connection: AgentConnection, join: Join): Join | undefined {
		try {
			const model = resolvedModel(join);
			this.waiting.set(connection.number, connection);
			return model === undefined ? join : { ...join, model };
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			connection.send({ say: "refused", code: "usage", reason: error.message });
			connection.close();
			return undefined;
		}
	}

	/** It has not left meanwhile. */
	isWaiting(connection: AgentConnection): boolean {
		return this.waiting.has(connection.number);
	}

	joined(connection: AgentConnection, join: Join, run: RunState): Input {
		const { settings } = this.facts;
		const resolved = this.resolve(join, run);
		const key = taskKey(join.task ?? settings.task);
		return { is: "joined", connection: connection.number, resolved, join, taskKey: key };
	}

	private resolve(join: Join, run: RunState): ResolvedParent {
		const { registry, machine, settings } = this.facts;
		const reason = run.agents[ROOT] === undefined ? undefined : tooManyOpen(readDescriptors(), settings);
		if (reason !== undefined) return { is: "unknown", reason };
		if (join.resume !== undefined && registry.isConnected(join.resume))
			return { is: "unknown", reason: `agent ${join.resume} is still there` };
		return machine.parentOf(join);
	}

	gone(connection: AgentConnection): void {
		this.waiting.delete(connection.number);
	}

	/** Undefined when it has left meanwhile. */
	admit(
		{ connection: number, agent, join, was }: Extract<Effect, { do: "admit" }>,
		run: RunState,
		now: number,
	): Member | undefined {
		const { settings, registry, journal, shimDirectory } = this.facts;
		const connection = this.take(number);
		if (connection === undefined) return undefined;
		const parent = registry.member(parentOf(agent) ?? "");
		const fresh = memberOf(agent, join, registry.newToken(), { settings, run, parent });
		const { member, resumed } = was === undefined ? { member: fresh } : this.again(fresh, { join, was }, run);
		registry.add(member, connection);
		const directories = { agent: journal.addAgent(member.file), shim: shimDirectory };
		if (resumed !== undefined) journal.message(agent, resumeNote(resumed, now));
		connection.send(joinedMessage(member, directories, { settings, resumed }));
		return member;
	}

	/** What its files say of it counts more than what its process asks for now. */
	private again(fresh: Member, { join, was }: { join: Join; was: Ending }, run: RunState) {
		const { directory, messageToRoot } = this.facts;
		const { file, damage } = reopenAgentFile(fallbackOf(fresh, run), { directory, run });
		const message = fresh.id === ROOT ? messageToRoot : join.task;
		const { effort = file.effort, cwd, compactAt: asked } = fresh.file;
		const isRoot = fresh.id === ROOT; // it goes on as the person says now
		const changed = isRoot ? { cwd, ...(effort && { effort }) } : join.effort ? { effort: join.effort } : {};
		const compactAt = (isRoot ? asked : file.compactAt) ?? fresh.compactAt;
		const member: Member = { ...fresh, compactAt, file: { ...file, ...changed } };
		return { member, resumed: resumedOf(fresh.id, { was, message, damage: [damage] }, { directory, run }) };
	}

	refuse({ connection: number, code, reason }: Extract<Effect, { do: "refuse" }>): void {
		const connection = this.take(number);
		connection?.send({ say: "refused", code, reason });
		connection?.close();
	}

	private take(number: number): AgentConnection | undefined {
		const connection = this.waiting.get(number);
		this.waiting.delete(number);
		return connection;
	}
}

/** Throws AgentreeError. */
function resolvedModel({ model, startedIn }: Join): string | undefined {
	if (model === undefined) return undefined;
	const resolved = resolveModel(model, startedIn);
	checkModel(resolved);
	return resolved;
}

function resumeNote({ reason }: Resumed, at: number): ResumeNote {
	return { role: "note", note: "resumed", at, reason };
}

/** Where agent.json is lost; what a child joins with is a message, not its task. */
function fallbackOf({ id, file }: Member, run: RunState): AgentFile {
	return id === ROOT ? file : { ...file, task: run.agents[id]?.task ?? file.task };
}
