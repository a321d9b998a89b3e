/** Where processes ask to join: each waits here until it is decided, then becomes a member or is sent away with a reason. */
import { parentOf, ROOT } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import type { Join } from "../protocol/messages.ts";
import { joinedMessage, type Member, memberOf, type RunSettings } from "./admit.ts";
import { readDescriptors, tooManyOpen } from "./descriptors.ts";
import type { Effect, Occurrence } from "./occurrence.ts";
import type { RunRecord } from "./record.ts";
import type { Roster } from "./roster.ts";
import type { AgentConnection } from "./server.ts";

export interface DeskFacts {
	settings: RunSettings;
	roster: Roster;
	record: RunRecord;
	table: ProcessTable;
	shimDirectory: string;
}

export class Desk {
	private readonly facts: DeskFacts;
	private readonly waiting = new Map<number, AgentConnection>();

	constructor(facts: DeskFacts) {
		this.facts = facts;
	}

	joined(connection: AgentConnection, join: Join, run: RunState): Occurrence {
		const { roster, table, settings } = this.facts;
		this.waiting.set(connection.number, connection);
		const reason = run.agents[ROOT] === undefined ? undefined : tooManyOpen(readDescriptors(), settings);
		if (reason !== undefined)
			return { is: "joined", connection: connection.number, place: { is: "unknown", reason }, join };
		return roster.joining(connection.number, join, { table, run, task: settings.task });
	}

	gone(connection: AgentConnection): void {
		this.waiting.delete(connection.number);
	}

	/** Undefined when it has left meanwhile. */
	admit({ connection: number, agent, join }: Extract<Effect, { do: "admit" }>, run: RunState): Member | undefined {
		const { settings, roster, record, shimDirectory } = this.facts;
		const connection = this.take(number);
		if (connection === undefined) return undefined;
		const parent = roster.member(parentOf(agent) ?? "");
		const member = memberOf(agent, join, roster.newToken(), { settings, run, parent });
		roster.add(member, connection);
		const directories = { agent: record.addAgent(member.file), shim: shimDirectory };
		connection.send(joinedMessage(member, directories, settings));
		return member;
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
